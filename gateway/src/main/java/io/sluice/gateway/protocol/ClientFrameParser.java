package io.sluice.gateway.protocol;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Parser of client frames: docs/PROTOCOL.md, section 3. Stateless, for any thread. Invalid input
 * results in a {@link ClientFrame.Malformed}, never in an exception.
 */
public final class ClientFrameParser {
  private static final int MAX_CLIENT_NAME = 128;
  private static final int BINARY_HEADER = 7;
  private static final int BINARY_PUBLISH_TEXT = 0x02;
  private static final int BINARY_PUBLISH_BYTES = 0x12;

  final JsonFactory json =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(16)
                  .maxNumberLength(64)
                  .maxStringLength(Integer.MAX_VALUE) // limited by the size of the frame
                  .build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          // Clients may send any number of different names. Caching them would cost the event loop
          // more than parsing, and fill memory shared by all frames.
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .build();

  /** Parses a text frame of valid UTF-8. The caller keeps ownership of the buffer. */
  public ClientFrame parseText(ByteBuf frame) {
    Members members = new Members();
    try (JsonParser parser = json.createParser(ByteBufUtil.getBytes(frame))) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return members.malformed(ErrorCode.BAD_JSON, "not a JSON object");
      }
      members.read(parser);
      if (parser.nextToken() != null) {
        return members.malformed(ErrorCode.BAD_JSON, "unexpected data after the JSON object");
      }
      return members.frame();
    } catch (BadFrame e) {
      return members.malformed(ErrorCode.BAD_FRAME, e.getMessage());
    } catch (IOException e) {
      return members.malformed(ErrorCode.BAD_JSON, "not a JSON object: " + firstLine(e));
    }
  }

  /** Parses a binary frame. The caller keeps ownership of the buffer. */
  public ClientFrame parseBinary(ByteBuf frame) {
    int start = frame.readerIndex();
    int length = frame.readableBytes();
    int type = length == 0 ? -1 : frame.getUnsignedByte(start);
    if (type != BINARY_PUBLISH_TEXT && type != BINARY_PUBLISH_BYTES) {
      return new ClientFrame.Malformed(
          ClientFrame.NO_REF,
          ErrorCode.UNKNOWN_TYPE,
          "unknown type of binary frame: " + type,
          null);
    }
    if (length < BINARY_HEADER) {
      return badBinary(ClientFrame.NO_REF, "a binary publish has at least 7 bytes, not " + length);
    }
    long ref = frame.getUnsignedInt(start + 1);
    int topicLength = frame.getUnsignedShort(start + 5);
    if (BINARY_HEADER + topicLength > length) {
      return badBinary(ref, "topic length " + topicLength + " exceeds the frame");
    }
    String topic = utf8(ByteBufUtil.getBytes(frame, start + BINARY_HEADER, topicLength));
    byte[] payload =
        ByteBufUtil.getBytes(
            frame, start + BINARY_HEADER + topicLength, length - BINARY_HEADER - topicLength);
    if (topic == null || type == BINARY_PUBLISH_TEXT && utf8(payload) == null) {
      return badBinary(ref, (topic == null ? "the topic" : "the payload") + " is not UTF-8");
    }
    PayloadKind kind = type == BINARY_PUBLISH_TEXT ? PayloadKind.TEXT : PayloadKind.BYTES;
    return new ClientFrame.Publish(ref, topic, kind, payload, Map.of());
  }

  private static ClientFrame badBinary(long ref, String why) {
    return new ClientFrame.Malformed(ref, ErrorCode.BAD_FRAME, why, null);
  }

  private static String utf8(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  private static String firstLine(IOException e) {
    String message = String.valueOf(e.getMessage());
    int end = message.indexOf('\n');
    return end < 0 ? message : message.substring(0, end);
  }

  /** Members of one frame that were read so far. */
  private static final class Members {
    private String type;
    private long ref = ClientFrame.NO_REF;
    private String topic;
    private String payload;
    private String encoding;
    private String token = "";
    private String client = "";
    private boolean redirect;
    private boolean redirected;
    private boolean tagged;
    private String where;
    private long subscription = ClientFrame.NO_REF;
    private Map<String, Object> properties = Map.of();
    private Start start = Start.NOW;
    private boolean latest;
    private long intervalNs;
    private long timeoutMs = ClientFrame.NO_TIMEOUT;

    void read(JsonParser parser) throws IOException {
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        parser.nextToken();
        switch (name) {
          case "type" -> type = string(parser, name);
          case "ref" -> ref = ref(parser, name);
          case "topic" -> topic = string(parser, name);
          case "payload" -> payload = string(parser, name);
          case "encoding" -> encoding = string(parser, name);
          case "token" -> token = string(parser, name);
          case "client" -> client = string(parser, name);
          case "redirect" -> redirect = flag(parser, name);
          case "redirected" -> redirected = flag(parser, name);
          case "properties" -> properties = properties(parser);
          case "tagged" -> tagged = flag(parser, name);
          case "subscription" -> subscription = ref(parser, name);
          case "where" -> where = SubscribeMembers.where(parser);
          case "from" -> start = SubscribeMembers.from(parser);
          case "delivery" -> latest = SubscribeMembers.latest(parser);
          case "timeout" -> timeoutMs = timeout(parser);
          case "rate" -> intervalNs = SubscribeMembers.intervalNs(parser);
          default -> parser.skipChildren();
        }
      }
    }

    ClientFrame frame() throws BadFrame {
      return switch (required(type, "type")) {
        case "connect" -> connect();
        case "subscribe" -> subscribe();
        case "unsubscribe" -> unsubscribe();
        case "publish" -> publish();
        case "request" -> request();
        case "refresh" -> new ClientFrame.Refresh(ref, requiredToken());
        case "ping" -> new ClientFrame.Ping(ref);
        default -> malformed(ErrorCode.UNKNOWN_TYPE, "unknown type: \"" + shortened(type) + "\"");
      };
    }

    private ClientFrame subscribe() throws BadFrame {
      boolean conflated = latest || intervalNs > 0;
      Delivery delivery = conflated ? new Delivery(true, intervalNs) : Delivery.ALL;
      required(topic, "topic");
      if (tagged && (ref == ClientFrame.NO_REF || ref > ClientFrame.MAX_TAGGED_REF)) {
        throw new BadFrame("\"ref\" of a tagged subscription must be from 0 to 2^32-1");
      }
      if (where != null && !tagged) {
        throw new BadFrame("a subscription with \"where\" must be tagged");
      }
      return new ClientFrame.Subscribe(ref, new InterestKey(topic, where), tagged, start, delivery);
    }

    private ClientFrame unsubscribe() throws BadFrame {
      if (subscription == ClientFrame.NO_REF) {
        required(topic, "topic");
      }
      return new ClientFrame.Unsubscribe(ref, topic, subscription);
    }

    private String requiredToken() throws BadFrame {
      return required(token.isEmpty() ? null : token, "token");
    }

    private ClientFrame connect() throws BadFrame {
      if (client.length() > MAX_CLIENT_NAME) {
        throw new BadFrame("\"client\" has more than " + MAX_CLIENT_NAME + " characters");
      }
      return new ClientFrame.Connect(ref, token, client, redirect, redirected);
    }

    private ClientFrame.Publish publish() throws BadFrame {
      required(topic, "topic");
      required(payload, "payload");
      if (encoding == null) {
        return new ClientFrame.Publish(ref, topic, PayloadKind.TEXT, encoded(), properties);
      }
      if (!encoding.equals("base64")) {
        throw new BadFrame("\"encoding\" must be \"base64\", not \"" + shortened(encoding) + "\"");
      }
      return new ClientFrame.Publish(ref, topic, PayloadKind.BYTES, decoded(), properties);
    }

    private ClientFrame request() throws BadFrame {
      if (ref == ClientFrame.NO_REF) {
        throw new BadFrame("\"ref\" of a request is missing");
      }
      return new ClientFrame.Request(publish(), timeoutMs);
    }

    private byte[] encoded() throws BadFrame {
      try {
        ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(payload));
        return Arrays.copyOf(bytes.array(), bytes.limit());
      } catch (CharacterCodingException e) {
        throw new BadFrame("\"payload\" has an unpaired surrogate");
      }
    }

    private byte[] decoded() throws BadFrame {
      try {
        return Base64.getDecoder().decode(payload);
      } catch (IllegalArgumentException e) {
        throw new BadFrame("\"payload\" is not base64: " + e.getMessage());
      }
    }

    ClientFrame malformed(ErrorCode code, String message) {
      return new ClientFrame.Malformed(ref, code, message, topic);
    }

    private static String required(String value, String name) throws BadFrame {
      if (value == null) {
        throw new BadFrame("\"" + name + "\" is missing");
      }
      return value;
    }

    private static String string(JsonParser parser, String name) throws IOException {
      if (parser.currentToken() != JsonToken.VALUE_STRING) {
        throw new BadFrame("\"" + name + "\" must be a string");
      }
      return parser.getText();
    }

    private static boolean flag(JsonParser parser, String name) throws IOException {
      boolean value = parser.currentToken() == JsonToken.VALUE_TRUE;
      if (!value && parser.currentToken() != JsonToken.VALUE_FALSE) {
        throw new BadFrame("\"" + name + "\" must be true or false");
      }
      return value;
    }

    private static long ref(JsonParser parser, String name) throws IOException {
      if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT
          || parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
          || parser.getLongValue() < 0
          || parser.getLongValue() > BadFrame.MAX_EXACT) {
        throw new BadFrame("\"" + name + "\" must be a whole number from 0 to 2^53-1");
      }
      return parser.getLongValue();
    }

    private static long timeout(JsonParser parser) throws IOException {
      long value = parser.currentToken() == JsonToken.VALUE_NUMBER_INT ? ref(parser, "timeout") : 0;
      if (value < 1) {
        throw new BadFrame("\"timeout\" must be a whole number from 1 to 2^53-1");
      }
      return value;
    }

    private static Map<String, Object> properties(JsonParser parser) throws IOException {
      if (parser.currentToken() != JsonToken.START_OBJECT) {
        throw new BadFrame("\"properties\" must be an object");
      }
      Map<String, Object> properties = new LinkedHashMap<>();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        checkPropertyName(name);
        parser.nextToken();
        properties.put(name, property(parser, name));
      }
      return properties;
    }

    private static void checkPropertyName(String name) throws BadFrame {
      boolean valid =
          !name.isEmpty()
              && Character.isLetter(name.charAt(0))
              && name.chars().allMatch(Character::isJavaIdentifierPart)
              && !name.regionMatches(true, 0, "JMS", 0, 3)
              && !name.regionMatches(true, 0, "AMQ", 0, 3);
      if (!valid) {
        throw new BadFrame(
            "property \""
                + shortened(name)
                + "\" must be a Java identifier that begins with a letter, but not with JMS or"
                + " AMQ");
      }
    }

    private static Object property(JsonParser parser, String name) throws IOException {
      return switch (parser.currentToken()) {
        case VALUE_STRING -> parser.getText();
        case VALUE_TRUE -> Boolean.TRUE;
        case VALUE_FALSE -> Boolean.FALSE;
        case VALUE_NUMBER_INT -> {
          if (parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
            throw badProperty(name, "exceeds 64 bits");
          }
          yield parser.getLongValue();
        }
        case VALUE_NUMBER_FLOAT -> finite(parser.getDoubleValue(), name);
        default -> throw badProperty(name, "must be a string, number or boolean");
      };
    }

    // JSON cannot represent NaN and infinity.
    private static double finite(double value, String name) throws BadFrame {
      if (!Double.isFinite(value)) {
        throw badProperty(name, "is too large for a double");
      }
      return value;
    }

    private static BadFrame badProperty(String name, String why) {
      return new BadFrame("property \"" + shortened(name) + "\" " + why);
    }

    private static String shortened(String text) {
      String start = text.length() <= 64 ? text : text.substring(0, 64) + "…";
      return start.replaceAll("\\p{Cntrl}", "?");
    }
  }
}
