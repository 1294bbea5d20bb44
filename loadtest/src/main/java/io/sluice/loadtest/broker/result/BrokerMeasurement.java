package io.sluice.loadtest.broker.result;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.sluice.loadtest.broker.workload.Length;
import io.sluice.loadtest.result.MachineDescription;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Result of a broker benchmark, with the data required to repeat it. Durations of steps are in
 * microseconds. Immutable, for any thread.
 *
 * @param format version of the file format, {@link #FORMAT}
 * @param made start time
 * @param command the exact command line, without passwords
 * @param machine machine of producers and consumers
 * @param versions of their runtime, by name
 * @param target properties of the broker, without password
 * @param length durations and number of runs
 * @param results one for each row of the table
 * @param failures reasons of rows without result
 * @param disk each run of the disk benchmark; if empty, the file does not contain it
 * @param journals journal files by case; may be empty
 */
public record BrokerMeasurement(
    int format,
    Instant made,
    String command,
    MachineDescription machine,
    Map<String, String> versions,
    Map<String, String> target,
    Length length,
    List<CaseResult> results,
    List<String> failures,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<List<DiskResult>> disk,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, JournalFiles> journals) {
  /** Format version that this class writes. */
  public static final int FORMAT = 1;

  /** Name of the disk's description among the versions. */
  public static final String DISK = "disk";

  /** Writes the measurement as JSON and replaces the file. */
  public void write(Path file) throws IOException {
    JsonMapper mapper =
        JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .enable(SerializationFeature.INDENT_OUTPUT)
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
            .build();
    Files.write(file, mapper.writeValueAsBytes(this));
  }

  /** Returns the tables in Markdown. */
  public String toText() {
    StringBuilder text = new StringBuilder();
    if (versions.containsKey(DISK)) {
      text.append("Disk: ").append(versions.get(DISK)).append("\n\n");
    }
    if (!disk.isEmpty()) {
      text.append(Tables.disk(disk)).append('\n');
    }
    if (!results.isEmpty()) {
      text.append(Tables.rates(results)).append('\n').append(Tables.steps(results));
      text.append(PriceTables.replies(results)).append(PriceTables.prices(results));
    }
    if (!journals.isEmpty()) {
      text.append('\n').append(Tables.journals(journals));
    }
    for (String failure : failures) {
      text.append("\nNo result: ").append(failure).append('\n');
    }
    return text.toString();
  }

  /** Returns whether no run failed and all messages were delivered once. */
  public boolean complete() {
    return failures.isEmpty() && allArrived();
  }

  private boolean allArrived() {
    return results.stream()
        .flatMap(result -> result.runs().stream())
        .allMatch(run -> run.repeated() == 0 && (run.lost() == null || run.lost() == 0));
  }
}
