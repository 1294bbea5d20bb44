package io.sluice.gateway.broker.kafka;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.broker.selector.MessageFields;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.TopicPattern;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Interest in a topic or pattern. Bound to the feed's thread, except where a method states
 * otherwise.
 *
 * <p>While it is held, because the control thread has not processed its place or a snapshot is
 * being read, messages wait in its queue.
 */
final class KafkaInterest implements Broker.Consumer {
  private static final Logger log = LoggerFactory.getLogger(KafkaInterest.class);

  /** Limits of the queue, above which the partition of the next message is paused. */
  private static final int MAX_PENDING = 1_000;

  private static final long MAX_PENDING_BYTES = 1 << 20;

  /** The place of a message is its identity. */
  private static final DeliveryInfo DELIVERY = DeliveryInfo.of(Broker.NO_SEQUENCE);

  private final InterestKey key;
  private final KafkaNames.Route route;
  private final TopicListener listener;
  private final boolean pattern;
  private final Consumer<KafkaInterest> onClose;
  private final long openedNs = System.nanoTime();
  private volatile boolean closed;

  /** Latest place at which it begins; null before the first. */
  private volatile StreamPlace place;

  /** First offset of each partition. */
  private long[] from = {};

  /** Number of reasons for which messages wait. */
  private int holds;

  private final Deque<Runnable> pending = new ArrayDeque<>(0);
  private long pendingBytes;

  /**
   * @param onClose called on the control thread
   */
  KafkaInterest(
      InterestKey key,
      KafkaNames.Route route,
      TopicListener listener,
      Consumer<KafkaInterest> onClose) {
    this.key = key;
    this.route = route;
    this.listener = listener;
    this.pattern = TopicPattern.isPattern(key.topic());
    this.onClose = onClose;
  }

  /** Closes it. Control thread. */
  @Override
  public void close() {
    closed = true;
    onClose.accept(this);
  }

  // Any thread.

  boolean isClosed() {
    return closed;
  }

  InterestKey key() {
    return key;
  }

  String topic() {
    return key.topic();
  }

  boolean isPattern() {
    return pattern;
  }

  KafkaNames.Route route() {
    return route;
  }

  TopicListener listener() {
    return listener;
  }

  long openedNs() {
    return openedNs;
  }

  StreamPlace place() {
    return place;
  }

  // Feed's thread.

  /** Begins at a place, and holds messages until {@link #release}. */
  void begin(StreamPlace start, long[] firstOffsets) {
    place = start;
    from = firstOffsets;
    holds++;
  }

  /**
   * Continues at another place, in order with the messages. It is then held until {@link #release}.
   *
   * @param onHeld called when the earlier messages have been passed on
   */
  void restart(StreamPlace start, long[] firstOffsets, Runnable onHeld) {
    place = start;
    from = firstOffsets;
    inOrder(
        () -> {
          holds++;
          onHeld.run();
        });
  }

  /** Ends a hold; messages that wait are passed on by {@link #flush}. */
  void release() {
    holds--;
  }

  /** Returns whether messages wait until it is released. */
  boolean isHeld() {
    return holds > 0;
  }

  /** Returns whether messages of a topic or pattern may wait here. */
  boolean holdsBack(String name) {
    return (holds > 0 || !pending.isEmpty()) && TopicPattern.covers(topic(), name);
  }

  /** Returns whether a message belongs to it that is not before its place. */
  boolean begins(ConsumerRecord<byte[], byte[]> record) {
    int partition = record.partition();
    return partition >= from.length || record.offset() >= from[partition];
  }

  /** Returns whether the partition of its next message has to pause. */
  boolean isFull() {
    if (closed) {
      return false;
    }
    return holds > 0
        ? pending.size() >= MAX_PENDING || pendingBytes >= MAX_PENDING_BYTES
        : !pending.isEmpty() || listener.isFull();
  }

  /** Passes on what waits, until the listener is full. Returns whether nothing waits for it. */
  boolean flush() {
    if (holds > 0) {
      return true; // until it is released
    }
    while (holds == 0 && !pending.isEmpty() && !listener.isFull()) {
      pending.poll().run();
    }
    if (pending.isEmpty()) {
      pendingBytes = 0;
    }
    return holds > 0 || pending.isEmpty();
  }

  /** Passes on a message, or queues it while it is held. */
  void pass(Message message, ConsumerRecord<byte[], byte[]> record) {
    if (holds == 0 && pending.isEmpty()) {
      deliver(message, record);
    } else {
      pendingBytes += message.payload().length;
      pending.add(() -> deliver(message, record));
    }
  }

  /**
   * Reports records that are missing in order with the messages.
   *
   * @param identity that of the latest one
   */
  void missed(GapReason reason, long identity) {
    inOrder(() -> deliverMissed(reason, identity, null));
  }

  /** Reports a record that is not forwarded, in order with the messages. */
  void missed(GapReason reason, ConsumerRecord<byte[], byte[]> record) {
    inOrder(() -> deliverMissed(reason, record));
  }

  private void inOrder(Runnable report) {
    if (holds == 0 && pending.isEmpty()) {
      report.run();
    } else {
      pending.add(report);
    }
  }

  /** Passes a message to the listener. One thread at a time. */
  void deliver(Message message, ConsumerRecord<byte[], byte[]> record) {
    try {
      if (!closed) {
        listener.onMessage(message, DELIVERY, fields(record));
      }
    } catch (RuntimeException | OutOfMemoryError e) {
      log.atError().addKeyValue("topic", key).setCause(e).log("broker.fault");
      deliverMissed(GapReason.OVERLOAD, record);
    }
  }

  /** Reports messages that are not forwarded. Like {@link #deliver}. */
  void deliverMissed(GapReason reason) {
    deliverMissed(reason, Broker.NO_SEQUENCE, null);
  }

  private void deliverMissed(GapReason reason, ConsumerRecord<byte[], byte[]> record) {
    deliverMissed(reason, RecordReader.id(record), fields(record));
  }

  private void deliverMissed(GapReason reason, long identity, MessageFields fields) {
    if (!closed) {
      listener.onMissed(reason, DeliveryInfo.of(identity), fields);
    }
  }

  private MessageFields fields(ConsumerRecord<byte[], byte[]> record) {
    return listener.needsFields() ? RecordReader.fields(record) : null;
  }
}
