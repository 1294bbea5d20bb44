package io.sluice.gateway.broker.nats;

import com.fasterxml.jackson.core.JsonGenerator;
import io.nats.client.impl.Headers;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.broker.selector.MessageFields;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.TraceMeters;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.value.JsonText;
import io.sluice.gateway.protocol.value.MessageTime;
import io.sluice.gateway.time.LogInterval;
import io.sluice.gateway.trace.TraceContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reader of the messages of one interest. Used by one thread at a time.
 *
 * <p>A payload in UTF-8 is text, any other one bytes. The deletion of a key from a bucket is a
 * removal.
 */
final class NatsReader {
  private static final Logger log = LoggerFactory.getLogger(NatsReader.class);

  /** Header of the deletion of a key; of the purge of all of its messages. */
  private static final String KEY_OPERATION = "KV-Operation";

  /** Header of a message by which the server marks that it has removed the last one. */
  private static final String REMOVAL_MARKER = "Nats-Marker-Reason";

  /** Start of the subjects of keys in buckets. */
  static final String KEYS = "$KV.";

  private static final int MAX_HEADER_BYTES = 0xffff;
  private static final int MAX_SUBJECT_LOGGED = 256;
  private static final byte[] NO_BYTES = {};

  /** Maximum number of topics that are remembered for a pattern. */
  private static final int MAX_TOPICS = 1_024;

  private final Rules rules;
  private final InterestKey key;
  private final boolean exact;
  private final LogInterval invalidTopics = new LogInterval();

  /** Problems of the subjects of the pattern; empty for a subject without one. */
  private final Map<String, String> problems = new HashMap<>();

  /**
   * Rules shared by all readers of a node. Immutable, for any thread.
   *
   * @param topics rules for names of topics
   * @param forwarded headers that are forwarded with a message
   * @param maxBytes maximum bytes of a payload
   */
  record Rules(TopicRules topics, List<String> forwarded, long maxBytes, GatewayMetrics metrics) {}

  /** Reports that a message is not forwarded, which has been counted. */
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    private final GapReason reason;

    private Refused(GapReason reason) {
      super(reason.code(), null, false, false); // carries a value, not a bug: no stack trace
      this.reason = reason;
    }

    GapReason reason() {
      return reason;
    }
  }

  NatsReader(Rules rules, InterestKey key) {
    this.rules = rules;
    this.key = key;
    this.exact = !TopicPattern.isPattern(key.topic());
  }

  /**
   * Reads a message.
   *
   * @param identity identity, or {@link Message#NO_IDENTITY}
   * @param timeMs time at which the server accepted it, in milliseconds since 1970
   * @return null for a subject that is closed to clients
   * @throws Refused if it cannot be forwarded
   */
  Message read(io.nats.client.Message message, long identity, long timeMs) throws Refused {
    String subject = message.getSubject();
    if (!exact && isInternal(subject)) {
      return null;
    }
    checkTopic(subject);
    byte[] payload = message.getData();
    if (payload.length > rules.maxBytes()) {
      throw refused(GapReason.TOO_LARGE, GapReason.TOO_LARGE.code());
    }
    boolean removal = isRemoval(message.getHeaders());
    rules.metrics().messageIn(payload.length);
    long ttlMs = identity == Message.NO_IDENTITY ? 0 : MessageTtl.ms(message.getHeaders());
    return new Message(
            subject,
            identity,
            MessageTime.binary(MessageTime.of(timeMs)),
            removal ? PayloadKind.REMOVAL : kind(payload),
            removal ? NO_BYTES : payload,
            properties(message.getHeaders()))
        .expiring(ttlMs == MessageTtl.NONE ? Message.NO_EXPIRY : timeMs + ttlMs);
  }

  private void checkTopic(String subject) throws Refused {
    if (exact) {
      return;
    }
    String problem = problems.get(subject);
    if (problem == null) {
      TopicRules.Problem found = rules.topics().checkTopic(subject);
      problem = found == null ? "" : found.message();
      if (problems.size() == MAX_TOPICS) {
        problems.clear();
      }
      problems.put(subject, problem);
    }
    if (!problem.isEmpty()) {
      logInvalid(subject, problem);
      throw refused(GapReason.UNSUPPORTED, "invalid-topic");
    }
  }

  private void logInvalid(String subject, String problem) {
    long messages = invalidTopics.add(System.nanoTime());
    if (messages > 0) {
      String start = subject.substring(0, Math.min(subject.length(), MAX_SUBJECT_LOGGED));
      log.atWarn()
          .addKeyValue("interest", key)
          .addKeyValue("topic", start)
          .addKeyValue("problem", problem)
          .addKeyValue("messages", messages)
          .log("message.invalid-topic");
    }
  }

  private Refused refused(GapReason reason, String cause) {
    rules.metrics().dropped(cause, 1);
    return new Refused(reason);
  }

  private static boolean isRemoval(Headers headers) {
    return headers != null
        && (headers.containsKey(REMOVAL_MARKER)
            || headers.containsKey(KEY_OPERATION)
                && !"PUT".equals(headers.getFirst(KEY_OPERATION)));
  }

  private static PayloadKind kind(byte[] payload) {
    boolean text = ByteBufUtil.isText(Unpooled.wrappedBuffer(payload), StandardCharsets.UTF_8);
    return text ? PayloadKind.TEXT : PayloadKind.BYTES;
  }

  private byte[] properties(Headers headers) throws Refused {
    if (headers == null) {
      return null;
    }
    Map<String, String> forwarded = new LinkedHashMap<>();
    for (String name : rules.forwarded()) {
      String value = headers.getFirst(name);
      if (value != null && isForwarded(name, value)) {
        forwarded.put(name, value);
      }
    }
    return forwarded.isEmpty() ? null : json(forwarded);
  }

  private boolean isForwarded(String name, String value) {
    if (TraceContext.accepts(name, value)) {
      return true;
    }
    rules.metrics().trace().invalidContext(TraceMeters.BROKER);
    return false;
  }

  private byte[] json(Map<String, String> forwarded) throws Refused {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator out = JsonText.generator(bytes)) {
      out.writeStartObject();
      for (Map.Entry<String, String> header : forwarded.entrySet()) {
        out.writeStringField(header.getKey(), header.getValue());
      }
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("a text in memory cannot be written", e);
    }
    if (bytes.size() > MAX_HEADER_BYTES) {
      throw refused(GapReason.TOO_LARGE, GapReason.TOO_LARGE.code());
    }
    return bytes.toByteArray();
  }

  /** Returns the fields that selectors test: the headers, and the time as {@code JMSTimestamp}. */
  static MessageFields fields(io.nats.client.Message message, long timeMs) {
    Map<String, Object> fields = new HashMap<>();
    Headers headers = message.getHeaders();
    if (headers != null) {
      headers.keySet().forEach(name -> fields.put(name, headers.getFirst(name)));
    }
    fields.put("JMSTimestamp", timeMs);
    return MessageFields.of(fields);
  }

  /** Returns whether a subject is closed to clients: that of an interface of NATS, or an inbox. */
  static boolean isInternal(String subject) {
    return subject.startsWith("$") && !subject.startsWith(KEYS) || subject.startsWith("_INBOX.");
  }
}
