package io.sluice.gateway.stomp;

import io.netty.buffer.Unpooled;
import io.sluice.gateway.protocol.BadFrame;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import io.sluice.gateway.protocol.PublishHeaders.Mode;
import io.sluice.gateway.protocol.publish.TypedProperties;
import io.sluice.gateway.websocket.Utf8Check;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Conversion of SEND into a publish, with the headers that Artemis, ActiveMQ and RabbitMQ define.
 * Stateless, for any thread.
 */
final class StompPublish {
  private static final int MAX_TEXT = 255;
  private static final int MAX_ID = 128;
  private static final int MAX_PRIORITY = 9;
  private static final long MAX_MS = 8_640_000_000_000_000L;

  private StompPublish() {}

  /** Returns whether a bare destination is a queue. */
  static boolean isQueue(StompFrame frame) {
    String type = frame.headers().first("destination-type", "subscription-type");
    return type != null && type.equalsIgnoreCase("ANYCAST");
  }

  /**
   * Returns the publish.
   *
   * @param replyTo destination of replies, or null
   */
  static ClientFrame.Publish of(
      StompFrame frame, long ref, Destination destination, Destination replyTo, long nowMs)
      throws BadStomp {
    PayloadKind kind = kind(frame);
    Map<String, Object> properties = properties(frame);
    return new ClientFrame.Publish(
        ref, destination, kind, frame.body(), properties, headers(frame, replyTo, nowMs));
  }

  /**
   * Returns a request. The node sets its correlation id; its time to live is the time limit of the
   * reply.
   *
   * @param maxMs longest time limit
   */
  static ClientFrame.Request request(
      StompFrame frame, long ref, Destination destination, long maxMs, long nowMs) throws BadStomp {
    ClientFrame.Publish message = of(frame, ref, destination, null, nowMs);
    long ttlMs = message.headers().ttlMs();
    long timeoutMs = ttlMs == PublishHeaders.NONE ? ClientFrame.NO_TIMEOUT : Math.min(ttlMs, maxMs);
    return new ClientFrame.Request(withoutNodeHeaders(message, PublishHeaders.NONE), timeoutMs);
  }

  /** Returns the reply to a message. The node sets its correlation id. */
  static ClientFrame.Publish reply(StompFrame frame, long ref, long nowMs) throws BadStomp {
    ClientFrame.Publish message = of(frame, ref, ClientFrame.Respond.REPLY, null, nowMs);
    return withoutNodeHeaders(message, message.headers().ttlMs());
  }

  private static ClientFrame.Publish withoutNodeHeaders(ClientFrame.Publish message, long ttlMs) {
    PublishHeaders all = message.headers();
    PublishHeaders kept =
        new PublishHeaders(
            all.priority(),
            ttlMs,
            all.delayMs(),
            all.mode(),
            all.messageType(),
            null,
            all.group(),
            null,
            null);
    return new ClientFrame.Publish(
        message.ref(),
        message.destination(),
        message.kind(),
        message.payload(),
        message.properties(),
        kept);
  }

  private static PublishHeaders headers(StompFrame frame, Destination replyTo, long nowMs)
      throws BadStomp {
    Boolean persistent = frame.flag("persistent");
    Mode mode = Mode.OF_NODE;
    if (persistent != null) {
      mode = persistent ? Mode.PERSISTENT : Mode.NON_PERSISTENT;
    }
    return new PublishHeaders(
        (int) frame.number("priority", 0, MAX_PRIORITY, PublishHeaders.DEFAULT_PRIORITY),
        ttlMs(frame, nowMs),
        delayMs(frame, nowMs),
        mode,
        text(frame, "type", 0, MAX_TEXT),
        text(frame, "correlation-id", 0, MAX_TEXT),
        text(frame, "JMSXGroupID", 1, MAX_TEXT),
        replyTo,
        text(frame, "_AMQ_DUPL_ID", 1, MAX_ID));
  }

  private static String text(StompFrame frame, String name, int min, int max) throws BadStomp {
    String text = frame.header(name);
    if (text != null && (text.length() < min || text.length() > max)) {
      throw BadStomp.header(name, text, "must have " + min + " to " + max + " characters");
    }
    return text;
  }

  // An expired message is one that expires at once.
  private static long ttlMs(StompFrame frame, long nowMs) throws BadStomp {
    long expires = frame.number("expires", 0, MAX_MS, 0);
    if (expires > 0) {
      return Math.max(1, expires - nowMs);
    }
    return frame.number("expiration", 1, MAX_MS, PublishHeaders.NONE);
  }

  private static long delayMs(StompFrame frame, long nowMs) throws BadStomp {
    long time = frame.number("AMQ_SCHEDULED_TIME", 0, MAX_MS, 0);
    if (time > 0) {
      return Math.max(PublishHeaders.NONE, time - nowMs);
    }
    long delay = frame.number("AMQ_SCHEDULED_DELAY", 0, MAX_MS, PublishHeaders.NONE);
    return delay > 0 ? delay : frame.number("x-delay", 0, MAX_MS, PublishHeaders.NONE);
  }

  /** Returns a text message or one of bytes, as the header fields say. */
  private static PayloadKind kind(StompFrame frame) throws BadStomp {
    if (!isText(frame)) {
      return PayloadKind.BYTES;
    }
    byte[] body = frame.body();
    byte state =
        Utf8Check.advance(Utf8Check.BOUNDARY, Unpooled.wrappedBuffer(body), 0, body.length);
    if (state != Utf8Check.BOUNDARY) {
      throw new BadStomp(
          "the body is not UTF-8: send it with content-type:application/octet-stream");
    }
    return PayloadKind.TEXT;
  }

  private static boolean isText(StompFrame frame) throws BadStomp {
    if (frame.header("transformation") != null) {
      throw BadStomp.header(
          "transformation", frame.header("transformation"), "is not supported: send text or bytes");
    }
    String type = frame.header("amq-msg-type");
    if (type != null) {
      return switch (type) {
        case "text" -> true;
        case "bytes" -> false;
        default -> throw BadStomp.header("amq-msg-type", type, "must be text or bytes");
      };
    }
    String content = frame.header("content-type");
    return content == null ? frame.header("content-length") == null : isText(content);
  }

  private static boolean isText(String contentType) {
    String type = contentType.toLowerCase(Locale.ROOT);
    int end = type.indexOf(';');
    type = (end < 0 ? type : type.substring(0, end)).strip();
    return type.startsWith("text/")
        || type.endsWith("json")
        || type.endsWith("xml")
        || type.endsWith("/javascript")
        || type.endsWith("/x-www-form-urlencoded");
  }

  private static Map<String, Object> properties(StompFrame frame) throws BadStomp {
    Map<String, Object> properties = new LinkedHashMap<>();
    frame
        .headers()
        .forEach(
            (name, value) -> {
              if (!PropertyHeaders.isReserved(name)) {
                properties.putIfAbsent(PropertyHeaders.property(name), value);
              }
            });
    for (String name : properties.keySet()) {
      try {
        TypedProperties.checkName(name);
      } catch (BadFrame e) {
        throw new BadStomp("a header of SEND cannot be a JMS property: " + e.getMessage());
      }
    }
    return properties.isEmpty() ? Map.of() : properties;
  }
}
