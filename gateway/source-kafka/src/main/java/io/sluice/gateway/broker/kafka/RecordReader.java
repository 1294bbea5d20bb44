package io.sluice.gateway.broker.kafka;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.broker.selector.MessageFields;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.TraceMeters;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.value.JsonText;
import io.sluice.gateway.protocol.value.MessageTime;
import io.sluice.gateway.time.LogInterval;
import io.sluice.gateway.trace.TraceContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Conversion of records to messages. Any thread.
 *
 * <p>A value with a schema is JSON, another one in UTF-8 text, all others bytes. A record with a
 * key and without a value is a removal.
 */
final class RecordReader {
  private static final Logger log = LoggerFactory.getLogger(RecordReader.class);

  /** Reason for which a range of stored records cannot be read for now. */
  static final String NO_SCHEMA = "the schema registry does not provide the schema of a message";

  private static final int MAX_PROPERTY_BYTES = 0xffff;
  private static final byte[] NO_BYTES = {};

  private final List<String> forwarded;
  private final PublishKeys keys;
  private final long maxBytes;
  private final ValueSchemas schemas;
  private final GatewayMetrics metrics;
  private final LogInterval invalidKeys = new LogInterval();
  private final LogInterval unreadable = new LogInterval();

  /** Reports that a record is not forwarded, which has been counted. */
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

  RecordReader(
      List<String> forwarded,
      PublishKeys keys,
      long maxBytes,
      ValueSchemas schemas,
      GatewayMetrics metrics) {
    this.forwarded = forwarded;
    this.keys = keys;
    this.maxBytes = maxBytes;
    this.schemas = schemas;
    this.metrics = metrics;
  }

  /** Returns whether {@link #read} has the schema of a record; requests it otherwise. */
  boolean isReady(ConsumerRecord<byte[], byte[]> record) {
    return schemas.isReady(record.topic(), record.value());
  }

  /** Waits a few seconds for the schema of a record. Returns {@link #isReady}. */
  boolean awaitReady(ConsumerRecord<byte[], byte[]> record) {
    return schemas.awaitReady(record.topic(), record.value());
  }

  /**
   * Returns the message of a record that {@link #isReady}.
   *
   * @param topic topic of the message
   * @param mapping of its Kafka topic
   */
  Message read(ConsumerRecord<byte[], byte[]> record, String topic, KafkaNames.Mapping mapping)
      throws Refused {
    byte[] value = value(record, topic);
    long bytes = value == null ? 0 : value.length;
    String key = mapping == KafkaNames.Mapping.KEYED ? null : key(record);
    byte[] properties = properties(record, key == null ? null : keys.property(topic), key);
    if (bytes > maxBytes || properties != null && properties.length > MAX_PROPERTY_BYTES) {
      throw tooLarge(record, topic, bytes);
    }
    metrics.messageIn(bytes);
    return new Message(
        topic,
        id(record),
        MessageTime.binary(MessageTime.of(record.timestamp())),
        kind(record, value),
        value == null ? NO_BYTES : value,
        properties,
        key);
  }

  /** Returns the identity of a record's message: its mark is the epoch of the leader. */
  static long id(ConsumerRecord<byte[], byte[]> record) {
    return StreamPlace.id(record.partition(), record.offset(), record.leaderEpoch().orElse(0));
  }

  /** Returns what selectors test of a record: its headers and its time. */
  static MessageFields fields(ConsumerRecord<byte[], byte[]> record) {
    Map<String, Object> values = new HashMap<>();
    for (Header header : record.headers()) {
      String text = text(header);
      if (text != null) {
        values.put(header.key(), text);
      }
    }
    values.put("JMSTimestamp", record.timestamp());
    return MessageFields.of(values);
  }

  /** Counts and logs a record whose key does not consist of levels of a topic. */
  void onInvalidKey(ConsumerRecord<byte[], byte[]> record) {
    metrics.dropped("invalid-topic", 1);
    long messages = invalidKeys.add(System.nanoTime());
    if (messages > 0) {
      log.atWarn()
          .addKeyValue("topic", record.topic())
          .addKeyValue("partition", record.partition())
          .addKeyValue("offset", record.offset())
          .addKeyValue("messages", messages)
          .log("message.invalid-topic");
    }
  }

  private Refused tooLarge(ConsumerRecord<byte[], byte[]> record, String topic, long bytes) {
    metrics.dropped(GapReason.TOO_LARGE.code(), 1);
    log.atWarn()
        .addKeyValue("topic", topic)
        .addKeyValue("offset", record.offset())
        .addKeyValue("bytes", bytes)
        .addKeyValue("limit", maxBytes)
        .log("message.too-large");
    return new Refused(GapReason.TOO_LARGE);
  }

  private byte[] value(ConsumerRecord<byte[], byte[]> record, String topic) throws Refused {
    byte[] value = record.value();
    if (value == null || value.length > maxBytes) {
      return value;
    }
    try {
      return schemas.read(record.topic(), value, maxBytes);
    } catch (ValueSchemas.Unreadable e) {
      throw e.reason() == GapReason.TOO_LARGE
          ? tooLarge(record, topic, value.length)
          : unsupported(record, topic, e.getMessage());
    }
  }

  private Refused unsupported(ConsumerRecord<byte[], byte[]> record, String topic, String problem) {
    metrics.dropped(GapReason.UNSUPPORTED.code(), 1);
    long messages = unreadable.add(System.nanoTime());
    if (messages > 0) {
      log.atWarn()
          .addKeyValue("topic", topic)
          .addKeyValue("partition", record.partition())
          .addKeyValue("offset", record.offset())
          .addKeyValue("problem", problem)
          .addKeyValue("messages", messages)
          .log("message.unsupported");
    }
    return new Refused(GapReason.UNSUPPORTED);
  }

  private static PayloadKind kind(ConsumerRecord<byte[], byte[]> record, byte[] value) {
    if (value == null) {
      return record.key() == null ? PayloadKind.TEXT : PayloadKind.REMOVAL;
    }
    if (value != record.value() && value.length > 0 && (value[0] == '{' || value[0] == '[')) {
      return PayloadKind.JSON;
    }
    return KafkaNames.isText(value) ? PayloadKind.TEXT : PayloadKind.BYTES;
  }

  /** Returns the key of a record as text; null if it has none. */
  static String key(ConsumerRecord<byte[], byte[]> record) {
    byte[] key = record.key();
    if (key == null) {
      return null;
    }
    return KafkaNames.isText(key)
        ? new String(key, StandardCharsets.UTF_8)
        : Base64.getEncoder().encodeToString(key);
  }

  /**
   * @param keyProperty property with the key, instead of a header of this name; null for none
   */
  private byte[] properties(ConsumerRecord<byte[], byte[]> record, String keyProperty, String key) {
    if (forwarded.isEmpty() && keyProperty == null) {
      return null;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    boolean empty = keyProperty == null;
    try (JsonGenerator out = JsonText.generator(bytes)) {
      out.writeStartObject();
      if (keyProperty != null) {
        out.writeStringField(keyProperty, key);
      }
      for (String name : forwarded) {
        String text = text(record.headers().lastHeader(name));
        if (!name.equals(keyProperty) && text != null && isForwarded(name, text)) {
          out.writeStringField(name, text);
          empty = false;
        }
      }
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // never: in memory
    }
    return empty ? null : bytes.toByteArray();
  }

  private boolean isForwarded(String name, String text) {
    if (TraceContext.accepts(name, text)) {
      return true;
    }
    metrics.trace().invalidContext(TraceMeters.BROKER);
    return false;
  }

  private static String text(Header header) {
    return header == null || header.value() == null || !KafkaNames.isText(header.value())
        ? null
        : new String(header.value(), StandardCharsets.UTF_8);
  }
}
