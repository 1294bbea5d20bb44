package io.sluice.helm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Parser of YAML to trees. */
final class Yaml {
  private static final ObjectMapper MAPPER = new ObjectMapper(new YAMLFactory());

  private Yaml() {}

  static JsonNode read(String text) {
    try {
      return MAPPER.readTree(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static JsonNode read(Path file) {
    try {
      return read(Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(file.toString(), e);
    }
  }

  /** Returns the documents of a stream, without empty ones. */
  static List<JsonNode> all(String text) {
    try (var documents = MAPPER.readerFor(JsonNode.class).<JsonNode>readValues(text)) {
      return documents.readAll().stream().filter(JsonNode::isObject).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Merges one tree over another, as Helm merges values. */
  static JsonNode merged(JsonNode below, JsonNode above) {
    if (!below.isObject() || !above.isObject()) {
      return above;
    }
    ObjectNode both = below.deepCopy();
    above
        .properties()
        .forEach(
            entry -> {
              JsonNode old = both.path(entry.getKey());
              both.set(entry.getKey(), merged(old, entry.getValue()));
            });
    return both;
  }
}
