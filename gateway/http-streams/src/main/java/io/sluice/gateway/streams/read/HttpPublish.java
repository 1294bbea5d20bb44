package io.sluice.gateway.streams.read;

import com.fasterxml.jackson.core.JsonGenerator;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.protocol.BadFrame;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import io.sluice.gateway.protocol.parser.ClientFrameParser;
import io.sluice.gateway.protocol.value.JsonText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Publishes of one HTTP request: its headers are those of the messages, its body is one message, or
 * for a topic an array of them. Stateless, for any thread.
 */
final class HttpPublish {
  /** Messages of one body. */
  static final int MAX_MESSAGES = 1_000;

  /** Suffix of an id; each of several messages has its number. */
  private static final String LONGEST_SUFFIX = "/" + (MAX_MESSAGES - 1);

  private static final String PREFIX = "sluice-";
  private static final String PROPERTY = PREFIX + "property-";
  private static final String ID = "idempotency-key";

  /** Members of a publish that are texts, by the rest of the header's name. */
  private static final Map<String, String> TEXTS =
      Map.of(
          "message-type", "messageType",
          "correlation-id", "correlationId",
          "group", "group");

  private static final Set<String> NUMBERS = Set.of("priority", "ttl", "delay");

  /** Headers with which writers of Durable Streams coordinate; a broker has no such operation. */
  private static final Set<String> UNSUPPORTED =
      Set.of("stream-seq", "stream-closed", "producer-id", "producer-epoch", "producer-seq");

  private static final ClientFrameParser PARSER = new ClientFrameParser();

  private HttpPublish() {}

  /** Header of a request that a node cannot honour. */
  static final class Unsupported extends IOException {
    private static final long serialVersionUID = 1L;

    Unsupported(String message) {
      super(message);
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
      return this; // reported to the client as a value, not a bug
    }
  }

  /**
   * Returns the frames of a request, with refs from 1.
   *
   * @param headers names and values in the order of the request
   * @throws BadFrame if the request is invalid
   * @throws Unsupported if it has a header that a node cannot honour
   */
  static List<ClientFrame.Publish> frames(
      Destination destination, List<Map.Entry<String, String>> headers, byte[] body)
      throws IOException {
    String type = contentType(headers);
    if (body.length == 0) {
      throw new BadFrame("the body is empty");
    }
    List<byte[]> payloads = payloads(destination, type, body);
    boolean isOne = payloads.size() == 1;
    ClientFrame.Publish first = members(destination, headers, isOne ? "" : LONGEST_SUFFIX);
    PayloadKind kind = isText(type) ? PayloadKind.TEXT : PayloadKind.BYTES;
    List<ClientFrame.Publish> frames = new ArrayList<>(payloads.size());
    for (int i = 0; i < payloads.size(); i++) {
      PublishHeaders own = isOne ? first.headers() : withNumber(first.headers(), i);
      frames.add(
          new ClientFrame.Publish(
              i + 1, destination, kind, payloads.get(i), first.properties(), own));
    }
    return frames;
  }

  private static PublishHeaders withNumber(PublishHeaders headers, int number) {
    String id = headers.id();
    return id == null
        ? headers
        : headers.withId(id.substring(0, id.length() - LONGEST_SUFFIX.length()) + '/' + number);
  }

  private static String contentType(List<Map.Entry<String, String>> headers) throws BadFrame {
    for (Map.Entry<String, String> header : headers) {
      if (header.getKey().equalsIgnoreCase("content-type") && !header.getValue().isBlank()) {
        return header.getValue().split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
      }
    }
    throw new BadFrame("the header Content-Type is missing");
  }

  private static boolean isJson(String type) {
    return type.equals("application/json") || type.endsWith("+json");
  }

  private static boolean isText(String type) {
    return isJson(type) || type.startsWith("text/") || type.endsWith("+xml");
  }

  private static List<byte[]> payloads(Destination destination, String type, byte[] body)
      throws BadFrame {
    if (!isText(type)) {
      return List.of(body);
    }
    String text = utf8(body);
    if (!isJson(type)) {
      return List.of(body);
    }
    try {
      List<byte[]> elements = JsonElements.of(text, MAX_MESSAGES);
      if (elements.isEmpty()) {
        throw new BadFrame("the array has no elements");
      }
      return destination.isQueue() ? List.of(body) : elements;
    } catch (BadFrame e) {
      throw e;
    } catch (IOException e) {
      throw new BadFrame("the body is not JSON: " + firstLine(e));
    }
  }

  private static String utf8(byte[] body) throws BadFrame {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
    } catch (CharacterCodingException e) {
      throw new BadFrame("the body is not UTF-8");
    }
  }

  private static String firstLine(IOException e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }

  // The parser of JSON frames has the rules of all members.
  private static ClientFrame.Publish members(
      Destination to, List<Map.Entry<String, String>> headers, String idSuffix) throws IOException {
    ByteArrayOutputStream json = new ByteArrayOutputStream();
    try (JsonGenerator out = JsonText.generator(json)) {
      out.writeStartObject();
      out.writeStringField("type", "publish");
      out.writeStringField(to.isQueue() ? "queue" : "topic", to.name());
      out.writeStringField("payload", "");
      Map<String, String> properties = new LinkedHashMap<>();
      for (Map.Entry<String, String> header : headers) {
        write(header.getKey(), header.getValue().strip(), idSuffix, properties, out);
      }
      if (!properties.isEmpty()) {
        out.writeObjectFieldStart("properties");
        for (Map.Entry<String, String> property : properties.entrySet()) {
          out.writeStringField(property.getKey(), property.getValue());
        }
        out.writeEndObject();
      }
      out.writeEndObject();
    }
    ClientFrame frame = PARSER.parseText(Unpooled.wrappedBuffer(json.toByteArray()));
    if (frame instanceof ClientFrame.Publish publish) {
      return publish;
    }
    throw new BadFrame(((ClientFrame.Malformed) frame).message());
  }

  private static void write(
      String name, String value, String idSuffix, Map<String, String> properties, JsonGenerator out)
      throws IOException {
    String lower = name.toLowerCase(Locale.ROOT);
    if (UNSUPPORTED.contains(lower)) {
      throw new Unsupported(
          "the header " + name + " is not supported: the broker does not coordinate writers");
    }
    if (lower.equals(ID)) {
      out.writeStringField("id", unquoted(value) + idSuffix);
    } else if (lower.equals("traceparent") || lower.equals("tracestate")) {
      properties.put(lower, value);
    } else if (lower.startsWith(PROPERTY)) {
      properties.put(name.substring(PROPERTY.length()), value);
    } else if (lower.startsWith(PREFIX)) {
      writeMember(name, lower.substring(PREFIX.length()), value, out);
    }
  }

  private static void writeMember(String name, String member, String value, JsonGenerator out)
      throws IOException {
    if (TEXTS.containsKey(member)) {
      out.writeStringField(TEXTS.get(member), value);
    } else if (NUMBERS.contains(member)) {
      out.writeNumberField(member, number(name, value));
    } else if (member.equals("persistent") && (value.equals("true") || value.equals("false"))) {
      out.writeBooleanField(member, value.equals("true"));
    } else if (member.equals("reply-to") && value.matches("(topic|queue)/.+")) {
      int slash = value.indexOf('/');
      out.writeObjectFieldStart("replyTo");
      out.writeStringField(value.substring(0, slash), value.substring(slash + 1));
      out.writeEndObject();
    } else if (member.equals("persistent")) {
      throw new BadFrame("the header " + name + " must be true or false");
    } else if (member.equals("reply-to")) {
      throw new BadFrame("the header " + name + " must be topic/NAME or queue/NAME");
    } else {
      throw new BadFrame("the header " + BadFrame.shortened(name) + " is unknown");
    }
  }

  private static long number(String name, String value) throws BadFrame {
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw new BadFrame("the header " + name + " must be an integer");
    }
  }

  // The draft of the header defines a quoted string; most clients send it without quotation marks.
  private static String unquoted(String value) {
    boolean isQuoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
    return isQuoted ? value.substring(1, value.length() - 1) : value;
  }
}
