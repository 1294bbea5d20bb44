package io.sluice.gateway.limits;

import io.sluice.gateway.limits.QuotaLimits.Limit;
import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counters of what one group of clients uses together, such as those of one address, held to their
 * {@link QuotaLimits}. For any thread.
 */
public final class Quota {
  /** Quota of all clients that are not counted. */
  static final Quota UNCOUNTED = new Quota("", QuotaLimits.none(), null, null);

  /** Connections for each handshake: a client that tries again is told why it is refused. */
  private static final long OPENINGS = 10;

  private static final int RETIRED = -1;

  private final String name;
  private final QuotaLimits limits;
  private final ExclusiveTopics exclusive;
  private final GatewayMetrics metrics;
  private final TokenBucket openings;
  private final TokenBucket handshakes;
  private final TokenBucket publishes;
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicLong subscriptions = new AtomicLong();
  private final AtomicLong topics = new AtomicLong();

  /** Result of {@link #enter}. */
  enum Entry {
    ENTERED,
    FULL,
    /** The quota has been removed from its registry. */
    RETIRED
  }

  /**
   * @param exclusive topics of all quotas of the kind; null where they are not limited
   * @param metrics counts each limit that is reached; null where there is none
   */
  Quota(String name, QuotaLimits limits, ExclusiveTopics exclusive, GatewayMetrics metrics) {
    this.name = name;
    this.limits = limits;
    this.exclusive = exclusive;
    this.metrics = metrics;
    long nowNs = System.nanoTime();
    this.openings = TokenBucket.of(OPENINGS * limits.handshakes().most(), nowNs);
    this.handshakes = TokenBucket.of(limits.handshakes().most(), nowNs);
    this.publishes = TokenBucket.of(limits.publishes().most(), nowNs);
  }

  /** Returns the name of the group. */
  String name() {
    return name;
  }

  QuotaLimits limits() {
    return limits;
  }

  /** Returns the number of connections. */
  public int connections() {
    return Math.max(0, connections.get());
  }

  /** Returns the number of topics that no other group uses. */
  long topics() {
    return topics.get();
  }

  /** Returns whether one more connection would be admitted. */
  public boolean hasRoom() {
    return limits.connections().allows(connections() + 1L);
  }

  /** Counts a connection that has sent nothing yet; false if its rate is exceeded. */
  public boolean takeOpening() {
    return takes(openings, limits.handshakes());
  }

  /** Counts a handshake; false if its rate is exceeded. */
  public boolean takeHandshake() {
    return takes(handshakes, limits.handshakes());
  }

  /** The same where an exceeded rate rejects nothing yet. */
  public boolean takeHandshakeIfAny() {
    return handshakes == null || handshakes.take(System.nanoTime());
  }

  /** Returns whether {@link #takeHandshake} would return true now. */
  public boolean hasHandshake() {
    return handshakes == null || handshakes.has(1, System.nanoTime());
  }

  /** Counts a publish; returns null, or the limit that rejects it. */
  Limit publish() {
    return takes(publishes, limits.publishes()) ? null : limits.publishes();
  }

  /** Counts a subscription; returns null, or the limit that rejects it. */
  Limit subscribe(String topic) {
    if (limits.subscriptions().isSet() && !increment(subscriptions, limits.subscriptions())) {
      return limits.subscriptions();
    }
    if (exclusive == null || exclusive.add(topic, this)) {
      return null;
    }
    uncountSubscription();
    return limits.topics();
  }

  /** Counts a subscription less. */
  void unsubscribe(String topic) {
    uncountSubscription();
    if (exclusive != null) {
      exclusive.remove(topic, this);
    }
  }

  private void uncountSubscription() {
    if (limits.subscriptions().isSet()) {
      subscriptions.decrementAndGet();
    }
  }

  /** Counts a topic that no other group uses; false if there are too many of them. */
  boolean takeTopic() {
    return increment(topics, limits.topics());
  }

  /** Counts a topic that all other groups have left, also past the limit. */
  void chargeTopic() {
    topics.incrementAndGet();
  }

  void releaseTopic() {
    topics.decrementAndGet();
  }

  private boolean increment(AtomicLong count, Limit limit) {
    while (true) {
      long now = count.get();
      if (!limit.allows(now + 1)) {
        metrics.limitReached(limit.key());
        return false;
      }
      if (count.compareAndSet(now, now + 1)) {
        return true;
      }
    }
  }

  private boolean takes(TokenBucket bucket, Limit limit) {
    boolean taken = bucket == null || bucket.take(System.nanoTime());
    if (!taken) {
      metrics.limitReached(limit.key());
    }
    return taken;
  }

  /** Counts a connection. */
  Entry enter() {
    int now = connections.get();
    while (now != RETIRED) {
      if (!limits.connections().allows(now + 1L)) {
        metrics.limitReached(limits.connections().key());
        return Entry.FULL;
      }
      if (connections.compareAndSet(now, now + 1)) {
        return Entry.ENTERED;
      }
      now = connections.get();
    }
    return Entry.RETIRED;
  }

  /** Counts a connection less; returns whether it was the last. */
  boolean exit() {
    return connections.decrementAndGet() == 0;
  }

  /** Marks an unused quota as removed; a new one would allow no more than this one. */
  boolean retire(long nowNs) {
    return isFull(openings, nowNs)
        && isFull(handshakes, nowNs)
        && isFull(publishes, nowNs)
        && connections.compareAndSet(0, RETIRED);
  }

  private static boolean isFull(TokenBucket bucket, long nowNs) {
    return bucket == null || bucket.isFull(nowNs);
  }
}
