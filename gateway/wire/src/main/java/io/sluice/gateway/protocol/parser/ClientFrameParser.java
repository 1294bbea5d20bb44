package io.sluice.gateway.protocol.parser;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.sluice.gateway.protocol.BadFrame;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.Settlement;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.protocol.presence.PresenceMembers;
import io.sluice.gateway.protocol.publish.PublishMembers;
import io.sluice.gateway.protocol.publish.TransactionMembers;
import io.sluice.gateway.protocol.queue.QueueMembers;
import io.sluice.gateway.protocol.value.JsonReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;

/**
 * Parser of client frames: docs/PROTOCOL.md, section 3. Stateless, for any thread. Invalid input
 * results in a {@link ClientFrame.Malformed}, never in an exception.
 */
public final class ClientFrameParser {
  private static final int DEFAULT_PARTS = 100;
  private static final int MAX_CLIENT_NAME = 128;
  private static final int BINARY_HEADER = 7;
  private static final int BINARY_TOPIC = 5;
  private static final int BINARY_PUBLISH_TEXT = 0x02;
  private static final int BINARY_PUBLISH_BYTES = 0x12;
  private static final int BINARY_MEMBERS = 0x20;
  private static final Set<String> NOT_BINARY =
      Set.of("type", "ref", "topic", "payload", "encoding");

  private final int maxParts;

  /** Creates a parser with the default limits. */
  public ClientFrameParser() {
    this(DEFAULT_PARTS);
  }

  /** Creates a parser; {@code maxParts} is the largest number of parts of a transaction. */
  public ClientFrameParser(int maxParts) {
    this.maxParts = maxParts;
  }

  /** Parses a text frame of valid UTF-8. The caller keeps ownership of the buffer. */
  public ClientFrame parseText(ByteBuf frame) {
    Members members = new Members(maxParts);
    try (JsonParser parser = JsonReader.parser(ByteBufUtil.getBytes(frame))) {
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
    if ((type & ~BINARY_MEMBERS) != BINARY_PUBLISH_TEXT
        && (type & ~BINARY_MEMBERS) != BINARY_PUBLISH_BYTES) {
      return new ClientFrame.Malformed(
          ClientFrame.NO_REF,
          ErrorCode.UNKNOWN_TYPE,
          "unknown type of binary frame: " + type,
          null);
    }
    if (length < BINARY_HEADER) {
      return badBinary(ClientFrame.NO_REF, "a binary publish has at least 7 bytes, not " + length);
    }
    Members members = new Members(maxParts);
    members.ref = frame.getUnsignedInt(start + 1);
    try {
      return publish(type, ByteBufUtil.getBytes(frame), members);
    } catch (BadFrame e) {
      return members.malformed(ErrorCode.BAD_FRAME, e.getMessage());
    } catch (IOException e) {
      return members.malformed(ErrorCode.BAD_FRAME, "not a JSON object: " + firstLine(e));
    }
  }

  private ClientFrame publish(int type, byte[] frame, Members members) throws IOException {
    ByteBuffer rest = ByteBuffer.wrap(frame).position(BINARY_TOPIC);
    byte[] topic = part(rest, "topic");
    boolean extended = (type & BINARY_MEMBERS) != 0;
    if (topic.length > 0 || !extended) {
      members.topic = required(utf8(topic), "the topic");
    }
    if (extended) {
      members.readBinary(part(rest, "members"));
    }
    byte[] payload = Arrays.copyOfRange(frame, rest.position(), frame.length);
    boolean text = (type & ~BINARY_MEMBERS) == BINARY_PUBLISH_TEXT;
    if (text) {
      required(utf8(payload), "the payload");
    }
    return members
        .publishMembers()
        .frame(
            members.ref,
            Destination.of(members.topic, members.queue),
            text ? PayloadKind.TEXT : PayloadKind.BYTES,
            payload);
  }

  private static byte[] part(ByteBuffer rest, String name) throws BadFrame {
    int length = rest.remaining() < Short.BYTES ? -1 : Short.toUnsignedInt(rest.getShort());
    if (length < 0) {
      throw new BadFrame("the length of the " + name + " is missing");
    }
    if (length > rest.remaining()) {
      throw new BadFrame(name + " length " + length + " exceeds the frame");
    }
    byte[] part = new byte[length];
    rest.get(part);
    return part;
  }

  private static String required(String decoded, String part) throws BadFrame {
    if (decoded == null) {
      throw new BadFrame(part + " is not UTF-8");
    }
    return decoded;
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
    private final int maxParts;
    private String type;
    private long ref = ClientFrame.NO_REF;
    private String topic;
    private String queue;
    private PublishMembers publish;
    private String token = "";
    private String client = "";
    private boolean redirect;
    private boolean redirected;
    private boolean compressed;
    private boolean tagged;
    private String where;
    private long subscription = ClientFrame.NO_REF;
    private QueueMembers queueMembers;
    private TransactionMembers transaction;
    private PresenceMembers presence;
    private Start start = Start.NOW;
    private boolean latest;
    private long intervalNs;
    private long timeoutMs = ClientFrame.NO_TIMEOUT;

    Members(int maxParts) {
      this.maxParts = maxParts;
    }

    void read(JsonParser parser) throws IOException {
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        parser.nextToken();
        switch (name) {
          case "type" -> type = BadFrame.string(parser, name);
          case "ref" -> ref = BadFrame.integer(parser, name, 0, BadFrame.MAX_EXACT);
          case "topic" -> topic = BadFrame.string(parser, name);
          case "queue" -> queue = BadFrame.string(parser, name);
          case "token" -> token = BadFrame.string(parser, name);
          case "client" -> client = BadFrame.string(parser, name);
          case "redirect" -> redirect = BadFrame.flag(parser, name);
          case "redirected" -> redirected = BadFrame.flag(parser, name);
          case "compressed" -> compressed = BadFrame.flag(parser, name);
          case "tagged" -> tagged = BadFrame.flag(parser, name);
          case "subscription" ->
              subscription = BadFrame.integer(parser, name, 0, BadFrame.MAX_EXACT);
          case "credit", "tag", "upTo", "max", "durable", "shared" ->
              queueMembers().read(name, parser);
          case "publish", "ack" -> transaction().read(name, parser);
          case "enter", "watch", "members", "key", "info" -> presence().read(name, parser);
          case "where" -> where = SubscribeMembers.where(parser);
          case "from" -> start = SubscribeMembers.from(parser);
          case "delivery" -> latest = SubscribeMembers.latest(parser);
          case "timeout" -> timeoutMs = BadFrame.integer(parser, name, 1, BadFrame.MAX_EXACT);
          case "rate" -> intervalNs = SubscribeMembers.intervalNs(parser);
          default -> {
            if (!publishMembers().read(name, parser)) {
              parser.skipChildren();
            }
          }
        }
      }
    }

    /** Reads the members of a binary publish; those of its header are not allowed. */
    void readBinary(byte[] members) throws IOException {
      try (JsonParser parser = JsonReader.parser(members)) {
        if (parser.nextToken() != JsonToken.START_OBJECT) {
          throw new BadFrame("the members are not a JSON object");
        }
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
          String name = parser.currentName();
          if (NOT_BINARY.contains(name)) {
            throw new BadFrame("\"" + name + "\" is not allowed among the members");
          }
          parser.nextToken();
          if (name.equals("queue")) {
            queue = BadFrame.string(parser, name);
          } else if (!publishMembers().read(name, parser)) {
            parser.skipChildren();
          }
        }
        if (parser.nextToken() != null) {
          throw new BadFrame("unexpected data after the members");
        }
      }
    }

    private QueueMembers queueMembers() {
      if (queueMembers == null) {
        queueMembers = new QueueMembers();
      }
      return queueMembers;
    }

    private TransactionMembers transaction() {
      if (transaction == null) {
        transaction = new TransactionMembers(maxParts);
      }
      return transaction;
    }

    private PresenceMembers presence() {
      if (presence == null) {
        presence = new PresenceMembers();
      }
      return presence;
    }

    private PublishMembers publishMembers() {
      if (publish == null) {
        publish = new PublishMembers();
      }
      return publish;
    }

    ClientFrame frame() throws IOException {
      return switch (required(type, "type")) {
        case "connect" -> connect();
        case "subscribe" -> subscribe();
        case "unsubscribe" -> unsubscribe();
        case "publish" -> publish();
        case "request" -> request();
        case "respond" -> respond();
        case "consume" -> queueMembers().consume(ref, Destination.of(topic, queue), where);
        case "list" -> QueueMembers.list(ref);
        case "delete" -> queueMembers().delete(ref, required(topic, "topic"));
        case "browse" -> queueMembers().browse(ref, required(queue, "queue"), where);
        case "credit" -> queueMembers().credit(ref, subscription);
        case "ack" -> queueMembers().settle(ref, subscription, Settlement.ACK);
        case "release" -> queueMembers().settle(ref, subscription, Settlement.RELEASE);
        case "reject" -> queueMembers().settle(ref, subscription, Settlement.REJECT);
        case "transaction" -> transaction().frame(ref);
        case "presence" -> presence().frame(ref, required(topic, "topic"));
        case "leave" -> new ClientFrame.Leave(ref, required(topic, "topic"));
        case "refresh" -> new ClientFrame.Refresh(ref, requiredToken());
        case "ping" -> new ClientFrame.Ping(ref);
        default ->
            malformed(ErrorCode.UNKNOWN_TYPE, "unknown type: \"" + BadFrame.shortened(type) + "\"");
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
      return new ClientFrame.Connect(ref, token, client, redirect, redirected, compressed);
    }

    private ClientFrame.Publish publish() throws IOException {
      return publishMembers().frame(ref, Destination.of(topic, queue));
    }

    /** Returns what the frame addresses, or null. */
    private Destination destination() {
      if (topic != null) {
        return Destination.topic(topic);
      }
      return queue == null ? null : Destination.queue(queue);
    }

    private ClientFrame request() throws IOException {
      if (ref == ClientFrame.NO_REF) {
        throw new BadFrame("\"ref\" of a request is missing");
      }
      publishMembers().checkRequest();
      return new ClientFrame.Request(publish(), timeoutMs);
    }

    private ClientFrame respond() throws IOException {
      if (topic != null || queue != null) {
        throw new BadFrame("the message names the destination of a reply, not the client");
      }
      publishMembers().checkReply();
      return queueMembers()
          .respond(subscription, publishMembers().frame(ref, ClientFrame.Respond.REPLY));
    }

    ClientFrame malformed(ErrorCode code, String message) {
      return new ClientFrame.Malformed(ref, code, message, destination());
    }

    private static String required(String value, String name) throws BadFrame {
      if (value == null) {
        throw new BadFrame("\"" + name + "\" is missing");
      }
      return value;
    }
  }
}
