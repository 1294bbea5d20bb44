package io.sluice.loadtest.report;

import static io.sluice.loadtest.report.Numbers.count;
import static io.sluice.loadtest.report.Numbers.decimal;
import static io.sluice.loadtest.report.Numbers.fine;
import static io.sluice.loadtest.report.Numbers.interval;
import static io.sluice.loadtest.report.Numbers.megabytes;

import io.sluice.loadtest.result.Latencies;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import io.sluice.loadtest.result.MeasuredRun.LoadGeneratorResult;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.statistics.Intervals;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Tables with one row per run: load, delivery, load generators, connects and gateway usage.
 * Stateless.
 */
final class RunTables {
  private RunTables() {}

  /** Returns the tables over all runs. */
  static List<Table> overall(Measurement measurement) {
    List<MeasuredRun> runs = measurement.runs();
    List<Table> tables = new ArrayList<>();
    tables.add(loads(runs));
    List<LoadStep> steps = LoadStep.of(measurement);
    if (steps.size() > 1) {
      tables.add(StepTables.steps(steps));
    }
    for (LoadStep step : steps) {
      if (step.hasSeveralRuns()) {
        LatencyTables.overRuns(step).forEach(table -> tables.add(named(table, step, steps)));
      }
    }
    tables.add(delivery(runs));
    tables.add(gateway(runs));
    tables.add(StepTables.costOverRuns(steps));
    tables.add(loadGenerators(runs));
    tables.add(connects(runs));
    tables.removeIf(table -> table.rows().isEmpty());
    return tables;
  }

  private static Table named(Table table, LoadStep step, List<LoadStep> steps) {
    if (steps.size() == 1) {
      return table;
    }
    String title = table.title() + " with " + StepTables.label(step.load());
    return new Table(title, table.head(), table.rows(), table.note());
  }

  static Table loads(List<MeasuredRun> runs) {
    List<String> head =
        List.of(
            "run",
            "clients",
            "measured",
            "topics",
            "messages/s per topic",
            "payload, B",
            "warm-up, s",
            "measured, s",
            "steady state");
    Table table = Table.of("Load", head, runs.stream().map(RunTables::load).toList());
    boolean steady = runs.stream().allMatch(MeasuredRun::steady);
    return steady
        ? table
        : table.withNote(
            "In a run without a steady state, no end of the warm-up was detected in the first half."
                + " Its figures are those of a changing system.");
  }

  private static List<String> load(MeasuredRun run) {
    LoadProfile load = run.load();
    return List.of(
        Integer.toString(run.number()),
        count(load.clients()),
        count(load.measured()),
        count(load.topics()),
        Numbers.rate(load.rate()),
        count(load.payloadBytes()),
        count(run.warmUpSeconds()),
        count(run.seconds()),
        SteadyState.text(run));
  }

  static Table delivery(List<MeasuredRun> runs) {
    List<String> head =
        List.of(
            "run",
            "messages",
            "messages/s",
            "lost",
            "duplicates",
            "out of order",
            "gaps reported",
            "without a stamp",
            "early");
    return Table.of("Delivery to the measured clients", head, rows(runs, RunTables::delivery))
        .withNote(
            "Messages and their faults are counted over the whole run, messages/s over the measured"
                + " seconds. Early messages have a negative latency within the clocks' uncertainty;"
                + " they are counted as 0 ms.");
  }

  private static List<String> delivery(MeasuredRun run) {
    return List.of(
        Integer.toString(run.number()),
        sum(run, ClientResult::received),
        decimal(measuredRate(run), 1),
        sum(run, ClientResult::lost),
        sum(run, ClientResult::repeated),
        sum(run, ClientResult::reordered),
        sum(run, ClientResult::gaps),
        sum(run, ClientResult::unreadable),
        sum(run, LatencyTables::early));
  }

  private static double measuredRate(MeasuredRun run) {
    int end = run.warmUpSeconds() + run.seconds();
    long messages =
        run.timeline().stream()
            .filter(second -> second.second() >= run.warmUpSeconds() && second.second() < end)
            .mapToLong(second -> second.messages())
            .sum();
    return (double) messages / run.seconds();
  }

  private static String sum(MeasuredRun run, ToLongFunction<ClientResult> metric) {
    return count(run.clients().stream().mapToLong(metric).sum());
  }

  /** Returns a row for each run that had load generators. */
  static Table loadGenerators(List<MeasuredRun> runs) {
    List<String> head =
        List.of(
            "run",
            "clients",
            "messages/s",
            "MB/s",
            "not connected",
            "closed",
            "gaps reported",
            "its CPU, µs per message");
    List<MeasuredRun> generated =
        runs.stream().filter(run -> run.loadGenerators() != null).toList();
    return Table.of("Load generators", head, rows(generated, RunTables::loadGenerators));
  }

  private static List<String> loadGenerators(MeasuredRun run) {
    LoadGeneratorResult generators = run.loadGenerators();
    return List.of(
        Integer.toString(run.number()),
        count(generators.clients()),
        decimal((double) generators.frames() / run.seconds(), 0),
        decimal(generators.bytes() / 1e6 / run.seconds(), 1),
        count(generators.failed()),
        count(generators.closed()),
        count(generators.gaps()),
        decimal(generators.cpuSeconds() * 1e6 / generators.frames(), 2));
  }

  /** Returns a row for each run with new connections. */
  static Table connects(List<MeasuredRun> runs) {
    List<String> head =
        List.of("run", "connections", "mean, ms", "p50, ms", "p95, ms", "p99, ms", "max, ms");
    List<MeasuredRun> connected = runs.stream().filter(run -> run.connects() != null).toList();
    long fewest = connected.stream().mapToLong(run -> run.connects().count()).min().orElse(0);
    return Table.of("Time from connecting to subscribed", head, rows(connected, RunTables::connect))
        .withNote(LatencyMetric.warning(fewest, "the connections of a run"));
  }

  private static List<String> connect(MeasuredRun run) {
    Latencies connects = run.connects();
    return List.of(
        Integer.toString(run.number()),
        count(connects.count()),
        fine(LatencyMetric.MEAN.millis(connects)),
        fine(LatencyMetric.P50.millis(connects)),
        fine(LatencyMetric.P95.millis(connects)),
        fine(LatencyMetric.P99.millis(connects)),
        fine(LatencyMetric.MAX.millis(connects)));
  }

  /** Returns a row for each run with the gateway's metrics. */
  static Table gateway(List<MeasuredRun> runs) {
    List<String> head =
        List.of(
            "run",
            "frames/s out",
            "MB/s out",
            "messages/s in",
            "CPU, cores",
            "CPU, µs per frame, 95 %",
            "memory, max",
            "heap, max",
            "collections",
            "pauses, ms",
            "share of time");
    List<MeasuredRun> sampled =
        runs.stream().filter(run -> GatewayUsage.of(run).isKnown()).toList();
    return Table.of("The gateway", head, rows(sampled, RunTables::gateway))
        .withNote(
            "CPU is user and system time of the gateway's process. The confidence interval is by"
                + " Student's t over segments of the run, ten if it is long enough.");
  }

  private static List<String> gateway(MeasuredRun run) {
    GatewayUsage use = GatewayUsage.of(run);
    return List.of(
        Integer.toString(run.number()),
        decimal(use.frames(), 0),
        decimal(use.bytes() / 1e6, 1),
        decimal(use.messages(), 1),
        fine(use.cores()),
        interval(use.microsPerFrame(), 2, Intervals::student),
        megabytes(use.memoryBytes()),
        megabytes(use.heapBytes()),
        count(use.collections()),
        decimal(use.pauseSeconds() * 1000, 1),
        decimal(use.pauseSeconds() / use.seconds() * 100, 2) + " %");
  }

  private static List<List<String>> rows(
      List<MeasuredRun> runs, Function<MeasuredRun, List<String>> row) {
    return runs.stream().map(row).toList();
  }
}
