package io.sluice.gatling.check;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** JSON frames of the protocol. Without state. */
public final class Frames {
  /** Error of a frame or of a text that is not as expected. */
  public static final class MalformedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public MalformedException(String message) {
      super(message, null, false, false);
    }
  }

  private static final ObjectMapper JSON = new ObjectMapper();

  private Frames() {}

  /** Returns a frame of a type. */
  public static ObjectNode of(String type) {
    return JSON.createObjectNode().put("type", type);
  }

  /** Parses the frame of a node. */
  public static JsonNode parse(String text) {
    JsonNode frame = parse(text, "frame of the node");
    if (!frame.path("type").isTextual()) {
      throw new MalformedException("frame of the node has no type");
    }
    return frame;
  }

  /**
   * Parses JSON.
   *
   * @param name name of the text in errors
   */
  public static JsonNode parse(String text, String name) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new MalformedException(name + " is not JSON: " + e.getOriginalMessage());
    }
  }

  /** Returns the members of a binary frame; empty without bytes. */
  static ObjectNode members(byte[] utf8) {
    try {
      return utf8.length == 0 ? JSON.createObjectNode() : (ObjectNode) JSON.readTree(utf8);
    } catch (IOException | ClassCastException e) {
      throw new MalformedException("members of a binary frame are not a JSON object");
    }
  }

  /** Returns the message of a frame {@code message}, {@code delivery} or {@code reply}. */
  public static SluiceMessage message(JsonNode frame) {
    JsonNode payload = frame.path("payload");
    String text = payload.isTextual() ? payload.textValue() : payload.toString();
    byte[] bytes =
        "base64".equals(frame.path("encoding").asText())
            ? Base64.getDecoder().decode(text)
            : text.getBytes(StandardCharsets.UTF_8);
    ObjectNode members = frame.deepCopy();
    members.remove("payload");
    return new SluiceMessage(members, bytes);
  }
}
