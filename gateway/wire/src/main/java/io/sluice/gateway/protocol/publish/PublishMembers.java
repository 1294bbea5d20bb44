package io.sluice.gateway.protocol.publish;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.sluice.gateway.protocol.BadFrame;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import io.sluice.gateway.protocol.PublishHeaders.Mode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;

/**
 * Members that only publishes and requests have, as far as they were read. Used for one frame, by
 * one thread.
 */
public final class PublishMembers {
  private static final int MAX_PRIORITY = 9;
  private static final int MAX_TEXT = 255;
  private static final int MAX_ID = 128;

  private String payload;

  /** Payload that is an object or an array, as JSON. */
  private byte[] structure;

  private String encoding;
  private Map<String, Object> properties = Map.of();
  private Map<String, TypedProperties.Type> types = Map.of();
  private int priority = PublishHeaders.DEFAULT_PRIORITY;
  private long ttlMs = PublishHeaders.NONE;
  private long delayMs = PublishHeaders.NONE;
  private Mode mode = Mode.OF_NODE;
  private String messageType;
  private String correlationId;
  private String group;
  private Destination replyTo;
  private String id;
  private boolean headers;

  /** Reads a member's value. Returns whether the member belongs to publishes. */
  public boolean read(String name, JsonParser parser) throws IOException {
    switch (name) {
      case "payload" -> readPayload(parser);
      case "encoding" -> encoding = BadFrame.string(parser, name);
      case "properties" -> properties = TypedProperties.properties(parser);
      case "types" -> types = TypedProperties.types(parser);
      default -> {
        boolean header = readHeader(name, parser);
        headers |= header;
        return header;
      }
    }
    return true;
  }

  private boolean readHeader(String name, JsonParser parser) throws IOException {
    switch (name) {
      case "priority" -> priority = (int) BadFrame.integer(parser, name, 0, MAX_PRIORITY);
      case "ttl" -> ttlMs = BadFrame.integer(parser, name, 1, BadFrame.MAX_EXACT);
      case "delay" -> delayMs = BadFrame.integer(parser, name, 1, BadFrame.MAX_EXACT);
      case "persistent" ->
          mode = BadFrame.flag(parser, name) ? Mode.PERSISTENT : Mode.NON_PERSISTENT;
      case "messageType" -> messageType = text(parser, name, 0, MAX_TEXT);
      case "correlationId" -> correlationId = text(parser, name, 0, MAX_TEXT);
      case "group" -> group = text(parser, name, 1, MAX_TEXT);
      case "replyTo" -> replyTo = destination(parser);
      case "id" -> id = text(parser, name, 1, MAX_ID);
      default -> {
        return false;
      }
    }
    return true;
  }

  private void readPayload(JsonParser parser) throws IOException {
    if (parser.currentToken() == JsonToken.START_OBJECT
        || parser.currentToken() == JsonToken.START_ARRAY) {
      structure = StructuredBody.copy(parser);
    } else {
      payload = BadFrame.string(parser, "payload");
    }
  }

  private static String text(JsonParser parser, String name, int min, int max) throws IOException {
    String text = BadFrame.string(parser, name);
    if (text.length() < min || text.length() > max) {
      String bounds = min == 0 ? "at most " + max : "from " + min + " to " + max;
      throw new BadFrame("\"" + name + "\" must have " + bounds + " characters");
    }
    return text;
  }

  private static Destination destination(JsonParser parser) throws IOException {
    boolean valid =
        parser.currentToken() == JsonToken.START_OBJECT
            && parser.nextToken() == JsonToken.FIELD_NAME;
    String kind = valid ? parser.currentName() : "";
    valid =
        valid
            && (kind.equals("topic") || kind.equals("queue"))
            && parser.nextToken() == JsonToken.VALUE_STRING;
    String name = valid ? BadFrame.string(parser, "replyTo") : "";
    if (!valid || parser.nextToken() != JsonToken.END_OBJECT) {
      throw new BadFrame("\"replyTo\" must be {\"topic\":\"…\"} or {\"queue\":\"…\"}");
    }
    return kind.equals("queue") ? Destination.queue(name) : Destination.topic(name);
  }

  /** Returns the publish of a JSON frame; its structure is not yet checked. */
  public ClientFrame.Publish frame(long ref, Destination destination) throws IOException {
    if (payload == null && structure == null) {
      throw new BadFrame("\"payload\" is missing");
    }
    boolean structured = "json".equals(encoding);
    if (structured && structure == null) {
      throw new BadFrame("\"payload\" must be an object or an array");
    }
    if (!structured && structure != null) {
      throw new BadFrame("\"payload\" must be a string");
    }
    if (structured) {
      return frame(ref, destination, PayloadKind.JSON, structure);
    }
    if (encoding == null) {
      return frame(ref, destination, PayloadKind.TEXT, payload.getBytes(StandardCharsets.UTF_8));
    }
    if (!encoding.equals("base64")) {
      throw new BadFrame(
          "\"encoding\" must be \"base64\" or \"json\", not \""
              + BadFrame.shortened(encoding)
              + "\"");
    }
    return frame(ref, destination, PayloadKind.BYTES, decoded());
  }

  /** Returns the publish of a binary frame, whose payload is not among the members. */
  public ClientFrame.Publish frame(
      long ref, Destination destination, PayloadKind kind, byte[] content) throws BadFrame {
    TypedProperties.convert(properties, types);
    return new ClientFrame.Publish(
        ref, destination, kind, content, properties, headers ? headers() : PublishHeaders.DEFAULT);
  }

  /** Checks that a request has no header that the node sets instead of the client. */
  public void checkRequest() throws BadFrame {
    checkReply();
    forbid(ttlMs != PublishHeaders.NONE, "ttl");
  }

  /** Checks that a reply has no header that the node sets instead of the client. */
  public void checkReply() throws BadFrame {
    forbid(id != null, "id");
    forbid(replyTo != null, "replyTo");
    forbid(correlationId != null, "correlationId");
  }

  private static void forbid(boolean present, String name) throws BadFrame {
    if (present) {
      throw new BadFrame("\"" + name + "\" is not allowed here: the node sets it");
    }
  }

  private PublishHeaders headers() {
    return new PublishHeaders(
        priority, ttlMs, delayMs, mode, messageType, correlationId, group, replyTo, id);
  }

  private byte[] decoded() throws BadFrame {
    try {
      return Base64.getDecoder().decode(payload);
    } catch (IllegalArgumentException e) {
      throw new BadFrame("\"payload\" is not base64: " + e.getMessage());
    }
  }
}
