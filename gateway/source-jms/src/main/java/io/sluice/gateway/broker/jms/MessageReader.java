package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.jms.ContentReader.Undeliverable;
import io.sluice.gateway.broker.jms.ReplyReader.UnreadableReply;
import io.sluice.gateway.broker.jms.message.JsonBodyWriter;
import io.sluice.gateway.broker.jms.message.JsonBodyWriter.Refusal;
import io.sluice.gateway.broker.jms.message.KeyProperties;
import io.sluice.gateway.broker.jms.message.MessageIdentity;
import io.sluice.gateway.broker.provider.BrokerNames;
import io.sluice.gateway.broker.provider.HeaderText;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.provider.TraceProperty;
import io.sluice.gateway.broker.selector.MessageFields;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.TraceMeters;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.protocol.queue.Reply;
import io.sluice.gateway.protocol.value.JsonText;
import io.sluice.gateway.protocol.value.MessageTime;
import io.sluice.gateway.trace.TraceContext;
import io.sluice.gateway.trace.TraceLog;
import jakarta.jms.BytesMessage;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Queue;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reader of the JMS messages of one consumer. Used by one thread at a time.
 *
 * <p>Text is encoded as UTF-8, and bytes are not changed. Maps and streams become {@linkplain
 * JsonBodyWriter JSON}. A message without a body is empty text. An object message is refused and
 * never deserialised.
 */
final class MessageReader {
  private static final Logger log = LoggerFactory.getLogger(MessageReader.class);
  private static final int MAX_PROPERTY_BYTES = 0xffff;
  private static final int HIGHEST_PRIORITY = 9;
  private static final byte[] NO_BYTES = {};

  /** Maximum number of topics that are remembered for a pattern. */
  private static final int MAX_TOPICS = 1_024;

  private final Rules rules;
  private final Provider provider;
  private final InterestKey key;
  private final String pattern;
  private final boolean exact;
  private final Runnable arrivals;

  /** Topics of the pattern by the broker's name. */
  private final Map<String, Named> topics = new HashMap<>();

  /**
   * Topic of a message that arrived through a pattern.
   *
   * @param topic null if the interest does not cover it
   * @param problem reason for which the name is no topic, or null
   */
  private record Named(String topic, String problem) {}

  /**
   * Rules shared by all readers of a node. Immutable, for any thread.
   *
   * @param forwarded JMS properties that are forwarded with a message
   * @param keys location of the key in a message
   * @param maxBytes maximum bytes of a payload
   * @param names conversion of topics
   * @param hidden whether a topic, in Sluice's syntax and the provider's, is hidden from clients
   * @param refused log of messages that are not forwarded
   */
  record Rules(
      Provider provider,
      BrokerNames names,
      List<String> forwarded,
      KeyProperties keys,
      long maxBytes,
      BiPredicate<String, String> hidden,
      RefusedMessages refused,
      GatewayMetrics metrics) {
    /** Returns the rules for messages that are in no snapshot: they have no key and no removal. */
    Rules withoutKeys() {
      return new Rules(
          provider, names, forwarded, KeyProperties.NONE, maxBytes, hidden, refused, metrics);
    }
  }

  /** Reports that a message is not forwarded. */
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    private final GapReason reason;
    private final String problem;
    private final long bytes;
    private final long limit;

    /**
     * @param cause tag of the metric
     * @param problem part of the message without a form in the protocol; null: it has been logged
     * @param bytes of the message; negative: unknown
     * @param limit in bytes; 0: that of a message
     */
    private Refused(GapReason reason, String cause, String problem, long bytes, long limit) {
      super(cause, null, false, false); // carries a value, not a bug: no stack trace
      this.reason = reason;
      this.problem = problem;
      this.bytes = bytes;
      this.limit = limit;
    }

    private static Refused unreadable(GapReason reason) {
      return new Refused(reason, reason.code(), null, -1, 0);
    }

    private static Refused unsupported(String problem) {
      return new Refused(GapReason.UNSUPPORTED, GapReason.UNSUPPORTED.code(), problem, -1, 0);
    }

    private static Refused invalidTopic() {
      return new Refused(GapReason.UNSUPPORTED, "invalid-topic", null, -1, 0);
    }

    private static Refused tooLarge(long bytes) {
      return tooLarge(bytes, 0);
    }

    private static Refused tooLarge(long bytes, long limit) {
      return new Refused(GapReason.TOO_LARGE, GapReason.TOO_LARGE.code(), null, bytes, limit);
    }

    private static Refused of(Refusal refusal, long limit) {
      return refusal.reason() == GapReason.TOO_LARGE
          ? tooLarge(-1, limit)
          : unsupported(refusal.getMessage());
    }

    GapReason reason() {
      return reason;
    }
  }

  /**
   * Creates a reader for the consumer of an interest.
   *
   * @param arrivals action that runs for each message that arrives
   */
  MessageReader(Rules rules, InterestKey key, Runnable arrivals) {
    this.rules = rules;
    this.provider = rules.provider();
    this.key = key;
    this.pattern = key.topic();
    this.exact = !TopicPattern.isPattern(pattern);
    this.arrivals = arrivals;
  }

  /**
   * Reads a reply to a request.
   *
   * @throws UnreadableReply if it cannot be forwarded, which has been counted
   */
  Reply readReply(jakarta.jms.Message message) throws UnreadableReply {
    try {
      Message read = read(message, false);
      return new Reply(
          deliveryIdentity(message),
          read.timeMs(),
          read.kind(),
          read.payload(),
          read.properties(),
          HeaderText.of(message::getJMSType));
    } catch (Refused e) {
      throw new UnreadableReply(
          e.reason() == GapReason.TOO_LARGE
              ? "the reply exceeds limits.broker-message-bytes (" + rules.maxBytes() + ")"
              : "the reply is of a kind that is not forwarded, or cannot be read");
    } catch (JMSException | RuntimeException e) {
      throw new UnreadableReply("the reply cannot be read");
    }
  }

  /**
   * Reads a message of a queue.
   *
   * @throws Undeliverable if it cannot be forwarded, which has been counted
   */
  Message readDelivery(jakarta.jms.Message message) throws Undeliverable {
    try {
      return read(message, false).withIdentity(deliveryIdentity(message));
    } catch (Refused e) {
      throw new Undeliverable(e.getMessage());
    } catch (JMSException e) {
      throw new Undeliverable(unreadable(e).code());
    }
  }

  /** Records that a message has arrived. */
  void onArrival() {
    arrivals.run();
  }

  /** Returns the JMS priority of a message, 0 to 9; the highest one if it cannot be read. */
  private static int priority(jakarta.jms.Message message) {
    try {
      return Math.max(0, Math.min(HIGHEST_PRIORITY, message.getJMSPriority()));
    } catch (JMSException | RuntimeException e) {
      return HIGHEST_PRIORITY;
    }
  }

  /** Returns the place of a message in the order of delivery. */
  DeliveryInfo delivery(jakarta.jms.Message message) {
    long dueMs = dueMs(message);
    return new DeliveryInfo(
        provider.sequence(message),
        priority(message),
        dueMs != 0,
        Math.max(0, dueMs),
        isRedelivered(message),
        provider.isSlow(message));
  }

  /** Returns what selectors test of a message; {@link MessageFields#UNREADABLE} on a failure. */
  static MessageFields fields(jakarta.jms.Message message) {
    try {
      return MessageFields.of(message);
    } catch (JMSException | RuntimeException e) {
      return MessageFields.UNREADABLE;
    }
  }

  // A message whose headers cannot be read may be of any kind.
  private long dueMs(jakarta.jms.Message message) {
    try {
      return provider.dueMs(message);
    } catch (JMSException | RuntimeException e) {
      return Provider.UNKNOWN;
    }
  }

  private static boolean isRedelivered(jakarta.jms.Message message) {
    try {
      return message.getJMSRedelivered();
    } catch (JMSException | RuntimeException e) {
      return true;
    }
  }

  /**
   * Reads a message.
   *
   * @return null if the pattern does not cover the message's topic: the provider's wildcard may
   *     match more topics than Sluice's
   * @throws Refused if it cannot be forwarded, which has been counted
   */
  Message read(jakarta.jms.Message message) throws Refused {
    return read(message, true);
  }

  /**
   * @param shared whether the message is encoded once for all clients, also in binary
   */
  private Message read(jakarta.jms.Message message, boolean shared) throws Refused {
    try {
      String topic = topic(message);
      if (topic == null) {
        return null;
      }
      long timeMs = MessageTime.of(provider.timeMs(message));
      Message read = read(message, topic, shared ? MessageTime.binary(timeMs) : timeMs);
      rules.metrics().messageIn(read.payload().length);
      return read;
    } catch (Refused e) {
      throw counted(e, message);
    } catch (Refusal e) {
      throw counted(Refused.of(e, 0), message);
    } catch (JMSException | IOException | RuntimeException | OutOfMemoryError e) {
      throw Refused.unreadable(unreadable(e, TraceProperty.of(message)));
    }
  }

  private Refused counted(Refused refused, jakarta.jms.Message message) {
    rules.metrics().dropped(refused.getMessage(), 1);
    if (refused.reason() == GapReason.TOO_LARGE) {
      TraceLog.withTrace(log.atWarn(), TraceProperty.of(message))
          .addKeyValue("topic", key)
          .addKeyValue("bytes", refused.bytes >= 0 ? refused.bytes : "unknown")
          .addKeyValue("limit", refused.limit > 0 ? refused.limit : rules.maxBytes())
          .log("message.too-large");
    }
    if (refused.problem != null) {
      rules.refused().onUnsupported(key, refused.problem, TraceProperty.of(message));
    }
    return refused;
  }

  /** Counts and logs that the broker has discarded a message. Returns the reason to report. */
  GapReason discarded() {
    rules.metrics().dropped(GapReason.OVERLOAD.code(), 1);
    rules.refused().onDiscarded(key);
    return GapReason.OVERLOAD;
  }

  /** Logs and counts a message that cannot be read. Returns the reason to report. */
  GapReason unreadable(Throwable cause) {
    return unreadable(cause, null);
  }

  private GapReason unreadable(Throwable cause, Object traceparent) {
    TraceLog.withTrace(log.atWarn(), traceparent)
        .addKeyValue("topic", key)
        .setCause(cause)
        .log("message.unreadable");
    rules.metrics().dropped(GapReason.UNSUPPORTED.code(), 1);
    return GapReason.UNSUPPORTED;
  }

  private String topic(jakarta.jms.Message message) throws JMSException, Refused {
    if (exact) {
      return pattern;
    }
    String name = provider.topicOf(message);
    Named named = topics.get(name);
    if (named == null) {
      named = named(name);
      if (topics.size() == MAX_TOPICS) {
        topics.clear();
      }
      topics.put(name, named);
    }
    if (named.problem() != null) {
      rules.refused().onInvalidTopic(key, name, named.problem());
      throw Refused.invalidTopic();
    }
    return named.topic();
  }

  private Named named(String name) {
    String topic = rules.names().shown(name);
    if (rules.hidden().test(topic, name)) {
      return new Named(null, null);
    }
    String problem = rules.names().problem(name);
    return problem == null
        ? new Named(TopicPattern.covers(pattern, topic) ? topic : null, null)
        : new Named(null, problem);
  }

  private Message read(jakarta.jms.Message message, String topic, long timeMs)
      throws JMSException, IOException, Refused, Refusal {
    if (rules.keys().isRemoval(message)) { // its body has no meaning and is not read
      return message(message, topic, timeMs, PayloadKind.REMOVAL, NO_BYTES);
    }
    if (provider.isBodyUnread(message)) {
      throw Refused.tooLarge(provider.bodyBytes(message));
    }
    PayloadKind kind = kind(message);
    byte[] payload = payload(message);
    if (payload.length > rules.maxBytes()) {
      throw Refused.tooLarge(payload.length);
    }
    return message(message, topic, timeMs, kind, payload);
  }

  private Message message(
      jakarta.jms.Message message, String topic, long timeMs, PayloadKind kind, byte[] payload)
      throws JMSException, IOException, Refused, Refusal {
    return new Message(
            topic,
            identity(message, topic),
            timeMs,
            kind,
            payload,
            properties(message),
            rules.keys().key(message, topic))
        .expiring(message.getJMSExpiration());
  }

  private static PayloadKind kind(jakarta.jms.Message message) throws Refused {
    if (message instanceof BytesMessage) {
      return PayloadKind.BYTES;
    }
    if (message instanceof MapMessage || message instanceof StreamMessage) {
      return PayloadKind.JSON;
    }
    if (message instanceof jakarta.jms.ObjectMessage) {
      throw Refused.unsupported("ObjectMessage");
    }
    return PayloadKind.TEXT;
  }

  private byte[] payload(jakarta.jms.Message message)
      throws JMSException, IOException, Refused, Refusal {
    if (message instanceof TextMessage text) {
      return utf8(text.getText());
    }
    if (message instanceof BytesMessage bytes) {
      return bytes(bytes);
    }
    if (message instanceof MapMessage map) {
      return JsonBodyWriter.map(map, rules.maxBytes());
    }
    if (message instanceof StreamMessage stream) {
      return JsonBodyWriter.stream(stream, rules.maxBytes());
    }
    return new byte[0];
  }

  private byte[] utf8(String text) throws Refused {
    if (text == null) {
      return new byte[0];
    }
    if (text.length() > rules.maxBytes()) { // a character takes at least one byte
      throw Refused.tooLarge(text.length());
    }
    return JsonText.wellFormed(text).getBytes(StandardCharsets.UTF_8);
  }

  private byte[] bytes(BytesMessage message) throws JMSException, Refused {
    long length = message.getBodyLength();
    if (length > rules.maxBytes()) {
      throw Refused.tooLarge(length);
    }
    byte[] payload = new byte[(int) length];
    int read = 0;
    while (read < payload.length) {
      byte[] rest = new byte[payload.length - read];
      int count = message.readBytes(rest);
      if (count <= 0) {
        throw Refused.unsupported("body of " + read + " bytes that declares " + length);
      }
      System.arraycopy(rest, 0, payload, read, count);
      read += count;
    }
    return payload;
  }

  private byte[] properties(jakarta.jms.Message message) throws JMSException, IOException, Refused {
    Map<String, Object> forwarded = new LinkedHashMap<>();
    for (String name : rules.forwarded()) {
      Object value = message.getObjectProperty(name);
      if (JsonBodyWriter.isContainer(value)) {
        throw Refused.unsupported("property " + name + " of " + value.getClass().getName());
      }
      if (value != null && isForwarded(name, value)) {
        forwarded.put(name, value);
      }
    }
    try {
      return forwarded.isEmpty() ? null : JsonBodyWriter.object(forwarded, MAX_PROPERTY_BYTES);
    } catch (Refusal e) {
      throw Refused.of(e, MAX_PROPERTY_BYTES);
    }
  }

  private boolean isForwarded(String name, Object value) {
    if (TraceContext.accepts(name, value)) {
      return true;
    }
    rules.metrics().trace().invalidContext(TraceMeters.BROKER);
    return false;
  }

  private long identity(jakarta.jms.Message message, String topic) throws JMSException {
    String id = provider.messageId(message);
    return id == null ? Message.NO_IDENTITY : MessageIdentity.of(topic, id);
  }

  // The key of a reader of queues is no destination.
  private long deliveryIdentity(jakarta.jms.Message message) throws JMSException {
    long identity = identity(message, destination(message.getJMSDestination()));
    return identity == Message.NO_IDENTITY
        ? identity | ThreadLocalRandom.current().nextLong()
        : identity;
  }

  private String destination(Destination destination) throws JMSException {
    if (destination instanceof Queue queue) {
      return provider.wildcards().fromProvider(queue.getQueueName());
    }
    return destination instanceof Topic topic
        ? provider.wildcards().fromProvider(topic.getTopicName())
        : pattern;
  }
}
