package io.sluice.gateway.shard;

import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.PartitionOffsets;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.protocol.SubscriptionStart;
import java.util.List;

/**
 * Start positions and replies of a topic's new subscriptions. Bound to the event loop of the
 * topic's shard.
 */
final class SubscriptionStarts {
  /** Divisor of a snapshot's size: it is shared until it is outdated by more messages than that. */
  private static final int REUSE_DIVISOR = 4;

  private static final long SNAPSHOT = -1;

  /** Number of users of messages that the log retains. */
  static final int IN_LOG = 0;

  private final ShardTopic topic;

  /** The latest snapshot, or null. */
  private PromisedSnapshot snapshot;

  SubscriptionStarts(ShardTopic topic) {
    this.topic = topic;
  }

  /**
   * Replies to a subscription and starts to serve it.
   *
   * @return false if it is held: the source must be read first, or messages have to arrive
   */
  boolean admit(SubscriptionState subscription) {
    long after = after(subscription);
    PromisedSnapshot conflated = null;
    if (subscription.delivery.latest() && after != SNAPSHOT && after < topic.offset()) {
      conflated = newest(after);
      after = conflated == null ? SNAPSHOT : after; // evicted in between
    }
    Boolean recovered = null;
    if (subscription.start instanceof Start.Position position) {
      // Also at the same node: a replay that ended early had holes between its offsets.
      PartitionOffsets place = topic.place(position);
      if (place != null) {
        return admitFromPlace(subscription, place, position.epoch());
      }
      recovered = after != SNAPSHOT;
      topic.shard.metrics().resumed(recovered);
    }
    if (after == SNAPSHOT) {
      admitSnapshot(subscription, recovered);
    } else if (conflated != null) {
      answer(subscription, conflated.size(), topic.offset(), recovered);
      topic.begin(subscription, conflated, topic.offset());
    } else {
      admitReplay(subscription, after, recovered);
    }
    return true;
  }

  private void admitReplay(SubscriptionState subscription, long after, Boolean recovered) {
    List<LogEntry> unexpired = null;
    if (subscription.omitsExpired() && hasExpired(after)) {
      List<LogEntry> messages = topic.log().range(after, topic.offset());
      unexpired = messages == null ? null : unexpired(messages);
    }
    if (unexpired == null) {
      answer(subscription, (int) (topic.offset() - after), topic.offset(), recovered);
      topic.begin(subscription, null, after);
    } else {
      PromisedSnapshot replay = new PromisedSnapshot(unexpired, topic.offset(), null);
      answer(subscription, replay.size(), topic.offset(), recovered);
      topic.begin(subscription, replay, topic.offset());
    }
  }

  private boolean hasExpired(long after) {
    long nowMs = topic.shard.clock().wallMs();
    for (long offset = after + 1; offset <= topic.offset(); offset++) {
      LogEntry entry = topic.log().at(offset);
      if (entry != null && entry.isExpired(nowMs)) {
        return true;
      }
    }
    return false;
  }

  private List<LogEntry> unexpired(List<LogEntry> messages) {
    long nowMs = topic.shard.clock().wallMs();
    return messages.stream().anyMatch(message -> message.isExpired(nowMs))
        ? messages.stream().filter(message -> !message.isExpired(nowMs)).toList()
        : messages;
  }

  private boolean admitFromPlace(
      SubscriptionState subscription, PartitionOffsets place, long epoch) {
    if (epoch != topic.epoch() && topic.isAmbiguous(place)) {
      admit(subscription, null, IN_LOG);
      return true;
    }
    if (!topic.reaches(place)) {
      topic.holdAhead(subscription, place);
      return false;
    }
    List<LogEntry> messages = topic.after(place);
    if (messages == null) {
      topic.hold(subscription, place);
      return false;
    }
    admit(subscription, messages, IN_LOG);
    return true;
  }

  /**
   * Replies to a subscription with a place of the source.
   *
   * @param messages all messages since then; null if the source no longer has them
   * @param users number of subscriptions that retain messages which the log lacks, or {@link
   *     #IN_LOG}
   */
  void admit(SubscriptionState subscription, List<LogEntry> messages, int users) {
    topic.shard.metrics().resumed(messages != null);
    if (messages == null) {
      admitSnapshot(subscription, false);
    } else {
      boolean latest = subscription.delivery.latest();
      List<LogEntry> replayed = latest ? Conflation.newest(messages) : messages;
      List<LogEntry> sent = latest || subscription.omitsExpired() ? unexpired(replayed) : replayed;
      PromisedSnapshot replay =
          users == IN_LOG
              ? new PromisedSnapshot(sent, topic.offset(), null)
              : PromisedSnapshot.ofMessages(sent, topic.offset(), users);
      answer(subscription, replay.size(), topic.offset(), true);
      topic.begin(subscription, replay, topic.offset());
    }
  }

  private void admitSnapshot(SubscriptionState subscription, Boolean recovered) {
    PromisedSnapshot newest = snapshot();
    answer(subscription, newest.announced(), newest.offset, recovered);
    topic.begin(subscription, newest, newest.offset);
  }

  /** Returns the offset after which the subscription starts, or {@link #SNAPSHOT}. */
  private long after(SubscriptionState subscription) {
    TopicLog log = topic.log();
    if (subscription.start instanceof Start.Position position) {
      long after =
          subscription.delivery.latest()
              ? log.resumeSameEpoch(position, topic.offset())
              : log.resume(
                  position,
                  topic.offset(),
                  topic.shard.clock(),
                  topic.provenMs(),
                  topic.isIdentified());
      return after >= 0 && log.hasRange(after, topic.offset()) ? after : SNAPSHOT;
    }
    if (subscription.start instanceof Start.Last latest) {
      return log.offsetBeforeLatest(latest.count(), topic.offset());
    }
    return subscription.start instanceof Start.Now ? topic.offset() : SNAPSHOT;
  }

  private PromisedSnapshot newest(long after) {
    List<LogEntry> messages = topic.log().range(after, topic.offset());
    return messages == null
        ? null
        : new PromisedSnapshot(unexpired(Conflation.newest(messages)), topic.offset(), null);
  }

  /**
   * Returns the newest message of each topic or key. A snapshot in use is shared while it is
   * outdated by few messages, all of which are in the log.
   */
  private PromisedSnapshot snapshot() {
    PromisedSnapshot shared = snapshot;
    long offset = topic.offset();
    if (shared == null
        || shared.users == 0
        || shared.isCut()
        || shared.expiresMs <= topic.shard.clock().wallMs()
        || shared.offset != offset && topic.place() != null // which is that of the latest offset
        || offset - shared.offset > shared.size() / REUSE_DIVISOR
        || !topic.log().hasRange(shared.offset, offset)) {
      snapshot = newSnapshot(topic.log(), offset);
    }
    return snapshot;
  }

  private PromisedSnapshot newSnapshot(TopicLog log, long offset) {
    List<LogEntry> newest = unexpired(log.snapshot(offset));
    GapReason loss = newest.isEmpty() ? null : log.lossBetween(newest.get(0).offset(), offset);
    return new PromisedSnapshot(newest, offset, loss);
  }

  /** Invalidates the shared snapshot. */
  void invalidateSnapshot() {
    snapshot = null;
  }

  private void answer(SubscriptionState subscription, int replay, long from, Boolean recovered) {
    boolean isRecovered = Boolean.TRUE.equals(recovered);
    long timeMs = isRecovered ? 0 : topic.shard.clock().wallMs();
    TopicLog log = topic.log();
    StreamPlace place = topic.place();
    topic.shard.metrics().replayed(replay);
    subscription.subscriber.onSubscribed(
        subscription,
        new SubscriptionStart(
            topic.shard.sources() == 1 ? null : topic.source().name(),
            topic.epoch(),
            log.site(),
            from,
            place == null ? null : place.ids(),
            replay,
            recovered,
            timeMs,
            topic.channel(),
            topic.streamNumber()));
  }
}
