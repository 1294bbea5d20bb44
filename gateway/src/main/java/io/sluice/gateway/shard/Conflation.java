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
 * State of a subscription with {@code latest} or {@code rate} that keeps only the newest message of
 * each topic (or key), no faster than its client takes them and no more often than it has asked
 * for. A plain subscription without a rate joins the others as soon as nothing waits for it.
 *
 * <p>What waits has bounds: past one of them all but the newest message is given up, and told as a
 * gap. Bytes count only where the log does not keep a message of the same topic (or key) itself.
 *
 * <p>What waits leaves in the order of the log. So everything up to the last message sent has been
 * sent or is superseded, and a client can resume from there like any other.
 */
final class Conflation extends Paced {
  private final SubscriptionState subscription;
  private final long intervalNs;
  private final TopicLog log;
  private final long mostBytes;
  private final Map<String, LogEntry> waiting = new LinkedHashMap<>(2);

  /** Bytes of those that wait and whose topic (or key) no snapshot had when they came. */
  private final Map<String, Integer> counted = new HashMap<>(0);

  /** The sum of what is counted. */
  private long bytes;

  /** Replay promised by the answer; null if there is none, or once it was sent. */
  private Replay replay;

  private int replayed;
  private final Queue<Gap> gaps = new ArrayDeque<>(0);
  private long nextNs;

  /** Messages may be missing here. */
  private record Gap(GapReason reason, long offset) {}

  /**
   * @param replay what the subscription's answer has promised, or null
   * @param mostBytes that may wait beside what the log holds anyway
   */
  Conflation(SubscriptionState subscription, Replay replay, long nowNs, long mostBytes) {
    this.subscription = subscription;
    this.intervalNs = subscription.delivery.intervalNs();
    this.log = subscription.topic.log();
    this.mostBytes = mostBytes;
    this.replay = replay;
    this.nextNs = nowNs;
  }

  /** The newest of each topic, in the order of the log. */
  static List<LogEntry> newest(List<LogEntry> messages) {
    Map<String, LogEntry> newest = new LinkedHashMap<>();
    for (LogEntry message : messages) {
      keep(newest, message);
    }
    return List.copyOf(newest.values());
  }

  private static void keep(Map<String, LogEntry> newest, LogEntry message) {
    String key = message.key();
    newest.remove(key); // what is newer goes to the end
    newest.put(key, message);
  }

  @Override
  boolean onRun(MessageBatch run, Pacer pacer) {
    for (int i = 0; i < run.size(); i++) {
      keep(run.at(i).entry);
    }
    return true;
  }

  /** Keeps a message until it can be sent, unless a newer one of its topic (or key) comes. */
  void keep(LogEntry message) {
    String key = message.key();
    takeOut(key);
    int added = log.hasNewest(key) ? 0 : message.size();
    if (waiting.size() == log.maxKeys() || bytes + added > mostBytes && !waiting.isEmpty()) {
      giveUp(message.offset() - 1);
    }
    waiting.put(key, message);
    if (added > 0) {
      counted.put(key, added);
      bytes += added;
    }
  }

  private void takeOut(String key) {
    waiting.remove(key);
    Integer size = counted.remove(key);
    if (size != null) {
      bytes -= size;
    }
  }

  private void giveUp(long upTo) {
    subscription.topic.dropped("latest-too-many", waiting.size());
    waiting.clear();
    counted.clear();
    bytes = 0;
    onGap(GapReason.OVERLOAD, upTo);
  }

  // Told in its place, and once for all losses that no waiting message lies between.
  @Override
  void onGap(GapReason reason, long offset) {
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
  long oldestHeld() {
    long oldest = oldest(replay, replayed);
    return waiting.isEmpty() ? oldest : Math.min(oldest, first().offset());
  }

  @Override
  void discardHeld(long upTo) {
    long discarded = upTo;
    if (oldest(replay, replayed) <= upTo) {
      discarded = Math.max(replay.offset, upTo);
      close();
    }
    for (LogEntry message : List.copyOf(waiting.values())) {
      if (message.offset() <= discarded) {
        takeOut(message.key());
      }
    }
    List<Gap> later = new ArrayList<>(gaps);
    gaps.clear();
    gaps.add(new Gap(GapReason.OVERLOAD, discarded));
    for (Gap gap : later) { // those up to here are part of this one
      if (gap.offset() > discarded) {
        gaps.add(gap);
      }
    }
  }

  @Override
  boolean step(Pacer pacer) {
    if (replay != null && !sendReplay(pacer, replay)) {
      return true;
    }
    if (waiting.isEmpty() && gaps.isEmpty()) {
      return rest();
    }
    if (pacer.nowNs() - nextNs < 0
        || !isReady()
        || !tellGaps(pacer)
        || !sendUpTo(Long.MAX_VALUE, pacer)) {
      return true;
    }
    nextNs = pacer.nowNs() + intervalNs;
    return rest();
  }

  // Several tagged subscriptions of a client have something in one batch, as plain ones have.
  private boolean isReady() {
    Subscriber subscriber = subscription.subscriber;
    return subscription.tagged ? !subscriber.isLagging() : subscriber.isIdle();
  }

  /** Nothing waits. */
  private boolean rest() {
    if (intervalNs == 0 && !subscription.tagged) {
      subscription.topic.join(subscription);
    }
    return false;
  }

  private boolean sendReplay(Pacer pacer, Replay promised) {
    while (!promised.isCut() && replayed < promised.size()) {
      if (!pacer.hasRoomFor(subscription)) {
        return false;
      }
      replayed = pacer.send(subscription, promised.messages(), replayed);
    }
    if (promised.isCut()) {
      long upTo = waiting.isEmpty() ? subscription.topic.offset() : first().offset() - 1;
      subscription.topic.tellGap(subscription, GapReason.OVERLOAD, upTo);
    }
    close();
    return true;
  }

  private LogEntry first() {
    return waiting.values().iterator().next();
  }

  @Override
  void close() {
    if (replay != null) {
      subscription.topic.endReplay(replay);
      replay = null;
    }
  }

  private boolean tellGaps(Pacer pacer) {
    while (!gaps.isEmpty()) {
      Gap gap = gaps.peek();
      if (!sendUpTo(gap.offset(), pacer)) {
        return false;
      }
      subscription.topic.tellGap(subscription, gap.reason(), gap.offset());
      gaps.remove(); // last: a gap that could not be sent is sent at the next attempt
    }
    return true;
  }

  /** Sends what is not above an offset; returns whether all of it could be. */
  private boolean sendUpTo(long offset, Pacer pacer) {
    List<LogEntry> messages = new ArrayList<>(waiting.size());
    for (LogEntry message : waiting.values()) {
      if (message.offset() > offset) {
        break;
      }
      messages.add(message);
    }
    int sent = 0;
    while (sent < messages.size() && pacer.hasRoomFor(subscription)) {
      sent = pacer.send(subscription, messages, sent);
    }
    messages.subList(0, sent).forEach(message -> takeOut(message.key()));
    return sent == messages.size();
  }
}
