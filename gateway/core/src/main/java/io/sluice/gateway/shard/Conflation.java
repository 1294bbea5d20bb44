package io.sluice.gateway.shard;

import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.protocol.GapReason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * Conflation state of a subscription with {@code latest} or {@code rate}. It queues only the newest
 * message of each topic (or key) and sends it at the client's pace and the requested rate. An
 * untagged subscription without a rate becomes live as soon as its queue is empty. Bound to the
 * shard's event loop.
 *
 * <p>The queue is bounded: above a limit all but the newest message are dropped and reported as a
 * gap. Bytes count only if the log does not store a message of the same topic (or key) itself.
 *
 * <p>Messages are sent in the order of the log. Every message up to the last one sent is therefore
 * sent or superseded, and a client can resume from there.
 */
final class Conflation extends Paced {
  private final SubscriptionState subscription;
  private final long intervalNs;
  private final TopicLog log;
  private final long maxBytes;
  private final Map<String, LogEntry> waiting = new LinkedHashMap<>(2);

  /** Bytes of queued messages whose topic (or key) was in no snapshot when they were queued. */
  private final Map<String, Integer> counted = new HashMap<>(0);

  /** Sum of the counted bytes. */
  private long bytes;

  /** Snapshot announced by the reply; null if there is none, or once it was sent. */
  private PromisedSnapshot snapshot;

  /** Number of messages of the snapshot that were sent. */
  private int snapshotSent;

  private final Queue<Gap> gaps = new ArrayDeque<>(0);
  private long nextNs;

  /** Latest proof before the arrival of any queued message or gap. */
  private long heldProvenMs;

  /** Lowest offset of the messages that arrived after a later proof. */
  private long laterFrom = NOTHING_RETAINED;

  private long laterProvenMs;

  /** Offset at which messages may be missing. */
  private record Gap(GapReason reason, long offset) {}

  /**
   * Creates a state with an empty queue.
   *
   * @param snapshot snapshot announced by the subscription's reply, or null
   * @param maxBytes maximum bytes of queued messages that the log does not store
   */
  Conflation(SubscriptionState subscription, PromisedSnapshot snapshot, long nowNs, long maxBytes) {
    this.subscription = subscription;
    this.intervalNs = subscription.delivery.intervalNs();
    this.log = subscription.topic.log();
    this.maxBytes = maxBytes;
    this.snapshot = snapshot;
    this.nextNs = nowNs;
  }

  /** Returns the newest message of each topic (or key), in the order of the log. */
  static List<LogEntry> newest(List<LogEntry> messages) {
    Map<String, LogEntry> newest = new LinkedHashMap<>();
    for (LogEntry message : messages) {
      putLast(newest, message);
    }
    return List.copyOf(newest.values());
  }

  private static void putLast(Map<String, LogEntry> newest, LogEntry message) {
    String key = message.key();
    newest.remove(key); // a replaced entry would retain its position
    newest.put(key, message);
  }

  @Override
  boolean onMessages(MessageBatch messages, Pacer pacer) {
    for (int i = 0; i < messages.size(); i++) {
      enqueue(messages.at(i).entry, subscription.topic.provenMs());
    }
    return true;
  }

  /**
   * Queues a message; a newer one of its topic (or key) replaces it.
   *
   * @param provenMs the latest proof before its arrival
   */
  void enqueue(LogEntry message, long provenMs) {
    String key = message.key();
    dequeue(key);
    hold(message.offset(), provenMs);
    int added = log.hasNewest(key) ? 0 : message.size();
    if (waiting.size() == log.maxKeys() || bytes + added > maxBytes && !waiting.isEmpty()) {
      dropQueue(message.offset() - 1);
    }
    waiting.put(key, message);
    if (added > 0) {
      counted.put(key, added);
      bytes += added;
    }
  }

  private void hold(long offset, long provenMs) {
    if (waiting.isEmpty() && gaps.isEmpty()) {
      heldProvenMs = provenMs;
      laterFrom = NOTHING_RETAINED;
    } else if (laterFrom == NOTHING_RETAINED && provenMs > heldProvenMs) {
      laterFrom = offset;
      laterProvenMs = provenMs;
    }
  }

  // Two proofs are sufficient: the time advances although the queue is never empty.
  @Override
  long provenMs() {
    if (snapshot != null) {
      return NOT_PROVEN;
    }
    if (gaps.isEmpty() && waiting.isEmpty()) {
      return NOTHING_HELD;
    }
    if (gaps.isEmpty() && first().offset() >= laterFrom) {
      heldProvenMs = laterProvenMs;
      laterFrom = NOTHING_RETAINED;
    }
    return heldProvenMs;
  }

  private void dequeue(String key) {
    waiting.remove(key);
    Integer size = counted.remove(key);
    if (size != null) {
      bytes -= size;
    }
  }

  private void dropQueue(long upTo) {
    subscription.topic.dropped("latest-too-many", waiting.size());
    waiting.clear();
    counted.clear();
    bytes = 0;
    addGap(GapReason.OVERLOAD, upTo);
  }

  @Override
  void onGap(GapReason reason, long offset) {
    hold(offset, subscription.topic.provenMs());
    addGap(reason, offset);
  }

  /**
   * Queues a gap. Gaps are sent in order with the messages; those without a queued message between
   * them merge. The valid proof remains that of the queue.
   */
  void addGap(GapReason reason, long offset) {
    List<Gap> earlier = new ArrayList<>(gaps);
    earlier.add(new Gap(reason, offset));
    gaps.clear();
    for (int i = 0; i < earlier.size(); i++) {
      Gap gap = earlier.get(i);
      boolean last = i == earlier.size() - 1;
      if (last || isMessageBetween(gap.offset(), earlier.get(i + 1).offset())) {
        gaps.add(gap);
      }
    }
  }

  private boolean isMessageBetween(long after, long before) {
    return waiting.values().stream()
        .anyMatch(message -> message.offset() > after && message.offset() < before);
  }

  @Override
  long position() {
    return waiting.isEmpty() ? subscription.topic.offset() : first().offset() - 1;
  }

  @Override
  long oldestRetained() {
    long oldest = oldest(snapshot, snapshotSent);
    return waiting.isEmpty() ? oldest : Math.min(oldest, first().offset());
  }

  @Override
  void discardRetained(long upTo) {
    long discarded = upTo;
    if (oldest(snapshot, snapshotSent) <= upTo) {
      discarded = Math.max(snapshot.offset, upTo);
      close();
    }
    for (LogEntry message : List.copyOf(waiting.values())) {
      if (message.offset() <= discarded) {
        dequeue(message.key());
      }
    }
    List<Gap> later = new ArrayList<>(gaps);
    gaps.clear();
    gaps.add(new Gap(GapReason.OVERLOAD, discarded));
    for (Gap gap : later) { // earlier gaps are part of the new one
      if (gap.offset() > discarded) {
        gaps.add(gap);
      }
    }
  }

  @Override
  void discardAfter(long from) {
    for (LogEntry message : List.copyOf(waiting.values())) {
      if (message.offset() > from) {
        dequeue(message.key());
      }
    }
  }

  @Override
  boolean step(Pacer pacer) {
    if (snapshot != null && !sendSnapshot(pacer, snapshot)) {
      return true;
    }
    if (waiting.isEmpty() && gaps.isEmpty()) {
      return finish();
    }
    if (pacer.nowNs() - nextNs < 0
        || !isReady()
        || !sendGaps(pacer)
        || !sendUpTo(Long.MAX_VALUE, pacer)) {
      return true;
    }
    nextNs = pacer.nowNs() + intervalNs;
    return finish();
  }

  // Several tagged subscriptions of a client may each have messages in one batch.
  private boolean isReady() {
    Subscriber subscriber = subscription.subscriber;
    return subscription.tagged ? !subscriber.isLagging() : subscriber.isIdle();
  }

  // The queue is empty.
  private boolean finish() {
    if (intervalNs == 0 && !subscription.tagged) {
      subscription.topic.join(subscription);
    }
    return false;
  }

  private boolean sendSnapshot(Pacer pacer, PromisedSnapshot promised) {
    while (!promised.isCut() && snapshotSent < promised.size()) {
      if (!pacer.hasRoomFor(subscription)) {
        return false;
      }
      snapshotSent = pacer.send(subscription, promised.messages(), snapshotSent);
    }
    if (promised.isCut()) {
      long upTo = waiting.isEmpty() ? subscription.topic.offset() : first().offset() - 1;
      subscription.topic.sendGap(subscription, GapReason.OVERLOAD, upTo);
    } else {
      reportLoss(subscription, promised);
    }
    close();
    return true;
  }

  private LogEntry first() {
    return waiting.values().iterator().next();
  }

  @Override
  void close() {
    if (snapshot != null) {
      subscription.topic.endSnapshot(snapshot);
      snapshot = null;
    }
  }

  private boolean sendGaps(Pacer pacer) {
    while (!gaps.isEmpty()) {
      Gap gap = gaps.peek();
      if (!sendUpTo(gap.offset(), pacer)) {
        return false;
      }
      subscription.topic.sendGap(subscription, gap.reason(), gap.offset());
      gaps.remove(); // last, so that the next step retries a failed gap
    }
    return true;
  }

  /**
   * Sends the queued messages up to an offset, and discards those that have expired; returns
   * whether all were sent.
   */
  private boolean sendUpTo(long offset, Pacer pacer) {
    List<LogEntry> messages = new ArrayList<>(waiting.size());
    List<LogEntry> expired = new ArrayList<>(0);
    for (LogEntry message : waiting.values()) {
      if (message.offset() > offset) {
        break;
      }
      (message.isExpired(pacer.wallMs()) ? expired : messages).add(message);
    }
    expired.forEach(message -> dequeue(message.key()));
    int sent = 0;
    while (sent < messages.size() && pacer.hasRoomFor(subscription)) {
      sent = pacer.send(subscription, messages, sent);
    }
    messages.subList(0, sent).forEach(message -> dequeue(message.key()));
    return sent == messages.size();
  }
}
