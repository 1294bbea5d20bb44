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

/** Reads and writes measurements as files of JSON. For any thread. */
public final class MeasurementFile {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .enable(SerializationFeature.INDENT_OUTPUT)
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .build();

  private MeasurementFile() {}

  /**
   * Reads a measurement.
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

  /** Writes a measurement, in place of what was in the file. */
  public static void write(Measurement measurement, Path file) throws IOException {
    Files.write(file, MAPPER.writeValueAsBytes(measurement));
  }
}
