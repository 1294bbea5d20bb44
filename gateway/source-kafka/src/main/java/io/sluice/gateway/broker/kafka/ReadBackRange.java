package io.sluice.gateway.broker.kafka;

import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.broker.selector.Selector;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.TopicPattern;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/** Messages of one {@link ReadBack}. Used by one thread at a time. */
final class ReadBackRange implements StoredRange {
  private static final long TIMEOUT_MS = 10_000;

  private final ReadBack request;
  private final KafkaNames.Route route;
  private final TopicLook look;
  private final KafkaNames names;
  private final RecordReader reader;

  /** Null without a selector. */
  private final Selector selector;

  private final boolean isPattern;
  private final int partitions;
  private final List<Message> messages = new ArrayList<>();
  private long bytes;

  /** Bytes of all records, also of those that are not requested. */
  private long readBytes;

  /**
   * @param look state of the topic
   * @param selector selects the messages; null for all of them
   */
  ReadBackRange(
      ReadBack request,
      KafkaNames.Route route,
      TopicLook look,
      KafkaNames names,
      RecordReader reader,
      Selector selector) {
    this.request = request;
    this.route = route;
    this.look = look;
    this.names = names;
    this.reader = reader;
    this.selector = selector;
    this.isPattern = TopicPattern.isPattern(request.key().topic());
    this.partitions =
        1 + Arrays.stream(request.upTo().ids()).mapToInt(StreamPlace::partition).max().orElse(-1);
  }

  @Override
  public String topic() {
    return route.kafkaTopic();
  }

  @Override
  public long[] from() {
    return offsets(request.after());
  }

  @Override
  public long[] to() {
    return offsets(request.upTo());
  }

  private long[] offsets(StreamPlace place) {
    long[] next = new long[partitions];
    for (int partition = 0; partition < partitions; partition++) {
      next[partition] = place.offsetOf(partition) + 1;
    }
    return next;
  }

  @Override
  public Map<Integer, Collection<OffsetAndMetadata>> ends() {
    return look.ends(request.claimed());
  }

  @Override
  public boolean skipsRemoved() {
    return false;
  }

  @Override
  public long timeoutMs() {
    return TIMEOUT_MS;
  }

  @Override
  public long minNs() {
    return request.minNs(readBytes);
  }

  @Override
  public String onRecord(ConsumerRecord<byte[], byte[]> record) {
    readBytes += Math.max(0, record.serializedValueSize());
    String name = names.topic(route.mapping(), record);
    boolean wanted =
        (name == null ? isPattern : TopicPattern.covers(request.key().topic(), name))
            && (selector == null || selector.matches(RecordReader.fields(record)));
    if (!wanted) {
      return null;
    }
    if (name == null) {
      reader.onInvalidKey(record);
      return notForwarded(GapReason.UNSUPPORTED);
    }
    if (!reader.awaitReady(record)) {
      return RecordReader.NO_SCHEMA;
    }
    try {
      messages.add(reader.read(record, name, route.mapping()));
    } catch (RecordReader.Refused e) {
      return notForwarded(e.reason());
    }
    bytes += Math.max(0, record.serializedValueSize());
    return messages.size() > request.maxMessages() || bytes > request.maxBytes()
        ? "there are more than %d messages or %d bytes"
            .formatted(request.maxMessages(), request.maxBytes())
        : null;
  }

  private static String notForwarded(GapReason reason) {
    return "a message is not forwarded: " + reason.code();
  }

  @Override
  public void onEnd(String failure) {
    request.answer().accept(failure == null ? messages : null, failure);
  }
}
