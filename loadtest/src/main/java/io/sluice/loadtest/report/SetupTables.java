package io.sluice.loadtest.report;

import io.sluice.loadtest.result.MachineDescription;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.result.Measurement.ClockOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Tables with the data required to repeat a measurement. Stateless. */
final class SetupTables {
  private static final List<String> HEAD = List.of("property", "value");

  private SetupTables() {}

  static List<Table> of(Measurement measurement) {
    List<Table> tables = new ArrayList<>();
    tables.add(Table.of("Machine of the load test", HEAD, machine(measurement)));
    tables.add(named("Versions", measurement.versions()));
    tables.add(named("Parameters", measurement.parameters()));
    tables.removeIf(table -> table.rows().isEmpty());
    return tables;
  }

  private static List<List<String>> machine(Measurement measurement) {
    MachineDescription machine = measurement.machine();
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("system", machine.system()));
    rows.add(List.of("processor", machine.processor()));
    rows.add(List.of("cores", Integer.toString(machine.cores())));
    rows.add(List.of("memory", Numbers.megabytes(machine.memoryBytes())));
    rows.add(List.of("started", startOf(measurement)));
    rows.add(List.of("gateway's clock", clock(measurement.clock())));
    return rows;
  }

  private static String clock(ClockOffset clock) {
    if (clock == null) {
      return "not compared";
    }
    return String.format(
        Locale.ROOT,
        "offset %+.3f ms, uncertainty %.3f ms; latencies are not corrected",
        clock.offsetMicros() / 1000,
        clock.uncertaintyMicros() / 1000);
  }

  private static Table named(String title, Map<String, String> values) {
    List<List<String>> rows =
        new TreeMap<>(values)
            .entrySet().stream().map(e -> List.of(e.getKey(), e.getValue())).toList();
    return Table.of(title, HEAD, rows);
  }

  /** Returns the start of a measurement in UTC, to the second. */
  static String startOf(Measurement measurement) {
    return measurement.startedAt().truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
