package io.sluice.loadtest.result;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Result of one simulation, with the data required to repeat it. Immutable, for any thread.
 *
 * @param format version of the file format, {@link #FORMAT}
 * @param simulation name, such as {@code Ticker}
 * @param command the exact command line
 * @param parameters all parameters by name, including those with default values
 * @param machine that ran the load test
 * @param versions of the gateway, the load test and their runtimes, by name
 * @param clock offset of the gateway's clock, or null if unknown
 * @param runs in chronological order
 */
public record Measurement(
    int format,
    String simulation,
    Instant startedAt,
    String command,
    Map<String, String> parameters,
    MachineDescription machine,
    Map<String, String> versions,
    ClockOffset clock,
    List<MeasuredRun> runs) {
  /** Format version that this class writes and reads. */
  public static final int FORMAT = 1;

  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .enable(SerializationFeature.INDENT_OUTPUT)
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .build();

  /**
   * Reads a measurement from a JSON file.
   *
   * @throws IllegalArgumentException if the file is not a measurement of this format; the message
   *     names the file and the position
   */
  public static Measurement read(Path file) throws IOException {
    try {
      JsonNode tree = MAPPER.readTree(Files.readAllBytes(file));
      addOrigins(tree);
      Measurement measurement = MAPPER.treeToValue(tree, Measurement.class);
      if (measurement == null) {
        throw new IllegalArgumentException(file + ": invalid measurement: the file is empty");
      }
      if (measurement.format() != Measurement.FORMAT) {
        throw new IllegalArgumentException(
            file + ": format " + measurement.format() + "; expected " + Measurement.FORMAT);
      }
      return measurement;
    } catch (JacksonException e) {
      throw new IllegalArgumentException(file + ": invalid measurement: " + e.getMessage(), e);
    }
  }

  /** Adds an unknown origin to runs of files that were written before runs had one. */
  private static void addOrigins(JsonNode tree) {
    for (JsonNode run : tree.path("runs")) {
      if (run instanceof ObjectNode object && !object.has("origin")) {
        object.putNull("origin");
      }
    }
  }

  /** Writes the measurement as JSON and replaces the file. */
  public void write(Path file) throws IOException {
    Files.write(file, MAPPER.writeValueAsBytes(this));
  }

  /**
   * Offset of another machine's clock from the load test's clock. Immutable.
   *
   * @param offsetMicros added to the local time gives the remote time
   * @param uncertaintyMicros maximum error of the offset
   */
  public record ClockOffset(double offsetMicros, double uncertaintyMicros) {}
}
