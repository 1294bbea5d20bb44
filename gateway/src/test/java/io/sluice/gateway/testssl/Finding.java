package io.sluice.gateway.testssl;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Finding of testssl.sh for one port. Immutable.
 *
 * @param id its name there
 */
record Finding(String id, Severity severity, String text) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Severity in ascending order. */
  enum Severity {
    DEBUG,
    INFO,
    OK,
    LOW,
    MEDIUM,
    HIGH,
    CRITICAL,
    /** It could not find out. */
    WARN,
    /** It ended there. */
    FATAL
  }

  /** Reads the output of {@code --jsonfile}. */
  static List<Finding> read(Path file) throws IOException {
    List<Finding> all = new ArrayList<>();
    for (JsonNode each : JSON.readTree(file.toFile())) {
      all.add(
          new Finding(
              each.get("id").asText(),
              Severity.valueOf(each.get("severity").asText()),
              each.get("finding").asText()));
    }
    return all;
  }

  /** Returns whether its severity is not acceptable. */
  boolean isBad() {
    return severity.compareTo(Severity.LOW) > 0;
  }

  /** Returns whether the report shows it. */
  boolean isNotable() {
    return severity.compareTo(Severity.LOW) >= 0;
  }
}
