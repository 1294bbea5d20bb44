package io.sluice.gateway.hub;

import io.sluice.gateway.protocol.GapReason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * A subscription that wants the newest message of each topic (or key) only, no faster than its
 * client takes them and no more often than it has asked for.
 *
 * <p>What waits has bounds: past one of them all but the newest message is given up, and told as a
 * gap. Bytes count only where the log does not keep a message of the same topic (or key) itself.
 *
 * <p>What waits leaves in the order of the log. So everything up to the last message sent has been
 * sent or is superseded, and a client can resume from there like any other.
 */
final class Conflation implements Paced {
  private final Subscription subscription;
  private final long intervalNs;
  private final TopicLog log;
  private final long mostBytes;
  private final Map<String, Logged> waiting = new LinkedHashMap<>(2);

  /** Of those that wait and whose topic (or key) no snapshot of the log has. */
  private long bytes;

  private List<Logged> replay;
  private int replayed;
  private final Queue<Gap> gaps = new ArrayDeque<>(0);
  private long nextNs;

  /** Messages may be missing here. */
  private record Gap(GapReason reason, long offset) {}

  /**
   * @param replay what the subscription's answer has promised
   * @param mostBytes that may wait beside what the log holds anyway
   */
  Conflation(Subscription subscription, List<Logged> replay, long nowNs, long mostBytes) {
    this.subscription = subscription;
    this.intervalNs = subscription.delivery.intervalNs();
    this.log = subscription.topic.log();
    this.mostBytes = mostBytes;
    this.replay = replay;
    this.nextNs = nowNs;
  }

  /** The newest of each topic, in the order of the log. */
  static List<Logged> newest(List<Logged> messages) {
    Map<String, Logged> newest = new LinkedHashMap<>();
    for (Logged message : messages) {
      keep(newest, message);
    }
    return List.copyOf(newest.values());
  }

  private static void keep(Map<String, Logged> newest, Logged message) {
    String key = message.key();
    newest.remove(key); // what is newer goes to the end
    newest.put(key, message);
  }

  @Override
  public void onRun(Run run) {
    for (int i = 0; i < run.size(); i++) {
      keep(run.at(i).entry);
    }
  }

  private void keep(Logged message) {
    String key = message.key();
    takeOut(key);
    int added = log.hasNewest(key) ? 0 : message.size();
    if (waiting.size() == log.mostKeys() || bytes + added > mostBytes && !waiting.isEmpty()) {
      giveUp(message.offset() - 1);
    }
    waiting.put(key, message);
    bytes += added;
  }

  private void takeOut(String key) {
    Logged message = waiting.remove(key);
    if (message != null && !log.hasNewest(key)) {
      bytes -= message.size();
    }
  }

  private void giveUp(long upTo) {
    subscription.topic.shard.metrics().dropped("latest-too-many", waiting.size());
    waiting.clear();
    bytes = 0;
    onGap(GapReason.OVERLOAD, upTo);
  }

  // Told in its place, and once for all losses that no waiting message lies between.
  @Override
  public void onGap(GapReason reason, long offset) {
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
  public boolean step(Pacer pacer) {
    while (replayed < replay.size() && pacer.hasRoomFor(subscription)) {
      replayed = pacer.send(subscription, replay, replayed);
    }
    if (replayed < replay.size()) {
      return true;
    }
    replay = List.of();
    replayed = 0;
    if (waiting.isEmpty() && gaps.isEmpty()) {
      return false;
    }
    if (pacer.nowNs() - nextNs < 0
        || !subscription.subscriber.isIdle()
        || !tellGaps(pacer)
        || !sendUpTo(Long.MAX_VALUE, pacer)) {
      return true;
    }
    nextNs = pacer.nowNs() + intervalNs;
    return false;
  }

  private boolean tellGaps(Pacer pacer) {
    while (!gaps.isEmpty()) {
      Gap gap = gaps.peek();
      if (!sendUpTo(gap.offset(), pacer)) {
        return false;
      }
      gaps.remove();
      subscription.topic.shard.metrics().gapsSent(gap.reason().code(), 1);
      subscription.subscriber.onGap(subscription.topic(), gap.reason(), gap.offset());
    }
    return true;
  }

  /** Sends what is not above an offset; returns whether all of it could be. */
  private boolean sendUpTo(long offset, Pacer pacer) {
    List<Logged> messages = new ArrayList<>(waiting.size());
    for (Logged message : waiting.values()) {
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
