package io.sluice.gateway.attack;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/** Configuration files of nodes, without internal settings. Stateless. */
final class NodeFile {
  private static final ObjectMapper JSON = new ObjectMapper();

  private NodeFile() {}

  /** Creates or replaces a file. */
  static void write(Path file, Config config) {
    try {
      Path next = Files.writeString(file.resolveSibling(file.getFileName() + ".new"), yaml(config));
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String yaml(Config config) throws JsonProcessingException {
    StringBuilder yaml = new StringBuilder();
    for (Setting<?> setting : Settings.all()) {
      Object value = config.get(setting);
      if (value != null && !value.equals(setting.defaultValue())) {
        yaml.append(setting.key()).append(": ").append(JSON.writeValueAsString(plain(value)));
        yaml.append('\n');
      }
    }
    return yaml.toString();
  }

  // JSON is YAML, except that durations and sizes need a unit.
  private static Object plain(Object value) {
    if (value instanceof Duration duration) {
      return duration.toMillis() + "ms";
    }
    if (value instanceof Collection<?> values) {
      return values.stream().map(NodeFile::plain).toList();
    }
    return value instanceof PermissionRule rule ? plain(rule) : value;
  }

  private static Map<String, Object> plain(PermissionRule rule) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("if", rule.conditions());
    rule.patterns().forEach((operation, patterns) -> members.put(operation.key(), patterns));
    return members;
  }
}
