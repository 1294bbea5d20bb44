package io.sluice.loadtest.broker.result;

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
 * All that was found about brokers, with what is needed to repeat it. Times of steps are
 * microseconds. Immutable.
 *
 * @param format of the file, {@link #FORMAT}
 * @param made when it was begun
 * @param command the exact command line, without passwords
 * @param machine on which producers and consumers ran
 * @param versions of what they ran on, by name
 * @param target the broker, without password
 * @param length how long was measured, and how often
 * @param results one for each row of the table
 * @param failures why rows have no result
 * @param disk each run of the disk's benchmark; empty if there was none
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
    List<List<DiskResult>> disk) {
  /** The format that this version writes. */
  public static final int FORMAT = 1;

  /** Writes it as JSON, in place of what was in the file. */
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

  /** The tables, in Markdown. */
  public String toText() {
    StringBuilder text = new StringBuilder();
    if (!disk.isEmpty()) {
      text.append(Tables.disk(disk)).append('\n');
    }
    if (!results.isEmpty()) {
      text.append(Tables.rates(results)).append('\n').append(Tables.steps(results));
    }
    for (String failure : failures) {
      text.append("\nNo figures: ").append(failure).append('\n');
    }
    return text.toString();
  }

  /** Whether no run failed, all that was sent arrived, and none of it twice. */
  public boolean complete() {
    return failures.isEmpty() && allArrived();
  }

  private boolean allArrived() {
    return results.stream()
        .flatMap(result -> result.runs().stream())
        .allMatch(run -> run.repeated() == 0 && (run.lost() == null || run.lost() == 0));
  }
}
