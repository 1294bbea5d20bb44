package io.sluice.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The frames of docs/protocol/golden.json, which the JavaScript tests read too. Stateless. */
public final class Golden {
  private Golden() {}

  /** Returns the frames of a section. */
  public static Stream<JsonNode> section(String name) {
    try {
      JsonNode section =
          new ObjectMapper().readTree(Docs.file("protocol", "golden.json").toFile()).get(name);
      return StreamSupport.stream(section.spliterator(), false);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the text of a frame. */
  public static String text(String section, String name) {
    return section(section)
        .filter(entry -> entry.get("name").asText().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no golden frame " + name))
        .get("text")
        .asText();
  }

  /** Returns the payload of a frame. */
  public static byte[] payload(JsonNode entry) {
    return entry.has("payloadHex")
        ? HexFormat.of().parseHex(entry.get("payloadHex").asText())
        : entry.get("payload").asText().getBytes(UTF_8);
  }
}
