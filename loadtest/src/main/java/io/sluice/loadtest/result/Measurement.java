package io.sluice.loadtest.result;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * All that one simulation has found, with what is needed to repeat it. Immutable.
 *
 * @param format of the file, {@link #FORMAT}
 * @param simulation its name, such as {@code Ticker}
 * @param command the exact command line
 * @param parameters all of them by name, also those that had their defaults
 * @param machine that of the load test
 * @param versions of the gateway, the load test and what they run on, by name
 * @param clock how the gateway's clock stands to that of the load test; null if nobody asked it
 * @param runs in the order in which they were made
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
  /** The format that this version writes and reads. */
  public static final int FORMAT = 1;

  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .enable(SerializationFeature.INDENT_OUTPUT)
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .build();

  /**
   * Reads a measurement from a file of JSON.
   *
   * @throws IllegalArgumentException if the file holds no measurement of this format; the message
   *     names the file, and the place in it
   */
  public static Measurement read(Path file) throws IOException {
    try {
      Measurement measurement = MAPPER.readValue(Files.readAllBytes(file), Measurement.class);
      if (measurement.format() != Measurement.FORMAT) {
        throw new IllegalArgumentException(
            file + ": format " + measurement.format() + ", not " + Measurement.FORMAT);
      }
      return measurement;
    } catch (JacksonException e) {
      throw new IllegalArgumentException(file + ": no measurement: " + e.getMessage(), e);
    }
  }

  /** Writes a measurement as JSON, in place of what was in the file. */
  public void write(Path file) throws IOException {
    Files.write(file, MAPPER.writeValueAsBytes(this));
  }

  /**
   * How another machine's clock stands to the load test's. Immutable.
   *
   * @param offsetMicros to add to our time to get the other's
   * @param uncertaintyMicros the offset is true to within this
   */
  public record ClockOffset(double offsetMicros, double uncertaintyMicros) {}
}
