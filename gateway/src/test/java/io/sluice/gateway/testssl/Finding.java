package io.sluice.gateway.testssl;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One thing that testssl.sh says of a port. Immutable.
 *
 * @param id its name there
 */
record Finding(String id, Severity severity, String text) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** How bad it is, the worst last. */
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

  /** What it has written with {@code --jsonfile}. */
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

  /** Whether it is more than one may live with. */
  boolean isBad() {
    return severity.compareTo(Severity.LOW) > 0;
  }

  /** Whether it is worth a line. */
  boolean isNotable() {
    return severity.compareTo(Severity.LOW) >= 0;
  }
}
