package io.sluice.gateway.shard;

import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.protocol.SubscriptionStart;
import java.util.List;

/**
 * Start positions and answers of a topic's new subscriptions. Bound to the event loop of the
 * topic's shard.
 */
final class SubscriptionStarts {
  /** A snapshot serves others until the messages since are more than this part of it. */
  private static final int NEWER_PART = 4;

  private static final long SNAPSHOT = -1;

  private final ShardTopic topic;

  /** The latest snapshot, while it is being sent to a subscriber; or null. */
  private Replay snapshot;

  SubscriptionStarts(ShardTopic topic) {
    this.topic = topic;
  }

  /** Answers a subscription and begins to serve it. */
  void admit(SubscriptionState subscription) {
    long after = after(subscription);
    Replay conflated = null;
    if (subscription.delivery.latest() && after != SNAPSHOT && after < topic.offset()) {
      conflated = newest(after);
      after = conflated == null ? SNAPSHOT : after; // evicted meanwhile
    }
    Boolean recovered = subscription.start instanceof Start.Position ? after != SNAPSHOT : null;
    if (recovered != null) {
      topic.shard.metrics().resumed(recovered);
    }
    if (after == SNAPSHOT) {
      Replay newest = snapshot();
      answer(subscription, newest.size(), newest.offset, recovered);
      topic.begin(subscription, newest, newest.offset);
    } else if (conflated != null) {
      answer(subscription, conflated.size(), topic.offset(), recovered);
      topic.begin(subscription, conflated, topic.offset());
    } else {
      answer(subscription, (int) (topic.offset() - after), topic.offset(), recovered);
      topic.begin(subscription, null, after);
    }
  }

  /** The offset behind which the subscription begins, or {@link #SNAPSHOT}. */
  private long after(SubscriptionState subscription) {
    TopicLog log = topic.log();
    if (subscription.start instanceof Start.Position position) {
      long after =
          subscription.delivery.latest()
              ? log.resumeSameEpoch(position, topic.offset())
              : log.resume(position, topic.offset(), topic.shard.clock(), topic.provenMs());
      return after >= 0 && log.hasRange(after, topic.offset()) ? after : SNAPSHOT;
    }
    if (subscription.start instanceof Start.Last latest) {
      return log.offsetBeforeLatest(latest.count(), topic.offset());
    }
    return subscription.start instanceof Start.Now ? topic.offset() : SNAPSHOT;
  }

  private Replay newest(long after) {
    List<LogEntry> messages = topic.log().range(after, topic.offset());
    return messages == null ? null : new Replay(Conflation.newest(messages), topic.offset());
  }

  /**
   * The newest message of each topic or key. A snapshot that somebody is being sent serves others,
   * too, as long as the log has what came since and that is little.
   */
  private Replay snapshot() {
    Replay known = snapshot;
    long offset = topic.offset();
    if (known == null
        || known.users == 0
        || known.isCut()
        || offset - known.offset > known.size() / NEWER_PART
        || !topic.log().hasRange(known.offset, offset)) {
      snapshot = new Replay(topic.log().snapshot(offset), offset);
    }
    return snapshot;
  }

  /** Has the next snapshot taken anew. */
  void forgetSnapshot() {
    snapshot = null;
  }

  private void answer(SubscriptionState subscription, int replay, long from, Boolean recovered) {
    boolean keepsTime = Boolean.TRUE.equals(recovered);
    long timeMs = keepsTime ? 0 : topic.shard.clock().wallMs();
    TopicLog log = topic.log();
    topic.shard.metrics().replayed(replay);
    subscription.subscriber.onSubscribed(
        subscription,
        new SubscriptionStart(
            log.epoch, log.site(), from, replay, recovered, timeMs, topic.channel()));
  }
}
