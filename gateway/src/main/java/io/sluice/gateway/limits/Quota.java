package io.sluice.gateway.limits;

import io.sluice.gateway.limits.QuotaLimits.Limit;
import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * Counters of what one group of clients uses together, such as those of one address, held to their
 * {@link QuotaLimits}. For any thread. There may be one for each client, so counters and token
 * buckets are fields.
 */
public final class Quota {
  /** Quota of all clients that are not counted. */
  static final Quota UNCOUNTED = new Quota("", QuotaLimits.none(), null, null);

  /** Connections for each handshake: a client that tries again is told why it is refused. */
  private static final long OPENINGS = 10;

  private static final int RETIRED = -1;

  private static final AtomicLongFieldUpdater<Quota> OPENINGS_NS = bucket("openingsNs");
  private static final AtomicLongFieldUpdater<Quota> HANDSHAKES_NS = bucket("handshakesNs");
  private static final AtomicLongFieldUpdater<Quota> PUBLISHES_NS = bucket("publishesNs");
  private static final AtomicIntegerFieldUpdater<Quota> CONNECTION_COUNT = counter("connections");
  private static final AtomicIntegerFieldUpdater<Quota> SUBSCRIPTION_COUNT =
      counter("subscriptions");
  private static final AtomicIntegerFieldUpdater<Quota> TOPIC_COUNT = counter("topics");

  private final String name;
  private final QuotaLimits limits;
  private final ExclusiveTopics exclusive;
  private final GatewayMetrics metrics;

  /** Times at which the token buckets are full again. */
  private volatile long openingsNs;

  private volatile long handshakesNs;
  private volatile long publishesNs;

  private volatile int connections;
  private volatile int subscriptions;
  private volatile int topics;

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
    this.openingsNs = nowNs;
    this.handshakesNs = nowNs;
    this.publishesNs = nowNs;
  }

  private static AtomicLongFieldUpdater<Quota> bucket(String field) {
    return AtomicLongFieldUpdater.newUpdater(Quota.class, field);
  }

  private static AtomicIntegerFieldUpdater<Quota> counter(String field) {
    return AtomicIntegerFieldUpdater.newUpdater(Quota.class, field);
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
    return Math.max(0, connections);
  }

  /** Returns the number of topics that no other group uses. */
  long topics() {
    return topics;
  }

  /** Returns whether one more connection would be admitted. */
  public boolean hasRoom() {
    return limits.connections().allows(connections() + 1L);
  }

  /** Counts a connection that has sent nothing yet; false if its rate is exceeded. */
  public boolean takeOpening() {
    return takes(OPENINGS_NS, OPENINGS, limits.handshakes());
  }

  /** Counts a handshake; false if its rate is exceeded. */
  public boolean takeHandshake() {
    return takes(HANDSHAKES_NS, 1, limits.handshakes());
  }

  /** The same where an exceeded rate rejects nothing yet. */
  public boolean takeHandshakeIfAny() {
    return take(HANDSHAKES_NS, 1, limits.handshakes());
  }

  /** Returns whether {@link #takeHandshake} would return true now. */
  public boolean hasHandshake() {
    return !limits.handshakes().isSet()
        || TokenBucket.has(handshakesNs, limits.handshakes().most(), System.nanoTime());
  }

  /** Counts a publish; returns null, or the limit that rejects it. */
  Limit publish() {
    return takes(PUBLISHES_NS, 1, limits.publishes()) ? null : limits.publishes();
  }

  /** Counts a subscription; returns null, or the limit that rejects it. */
  Limit subscribe(String topic) {
    if (limits.subscriptions().isSet() && !increment(SUBSCRIPTION_COUNT, limits.subscriptions())) {
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
      SUBSCRIPTION_COUNT.decrementAndGet(this);
    }
  }

  /** Counts a topic that no other group uses; false if there are too many of them. */
  boolean takeTopic() {
    return increment(TOPIC_COUNT, limits.topics());
  }

  /** Counts a topic that all other groups have left, also past the limit. */
  void chargeTopic() {
    TOPIC_COUNT.incrementAndGet(this);
  }

  void releaseTopic() {
    TOPIC_COUNT.decrementAndGet(this);
  }

  private boolean increment(AtomicIntegerFieldUpdater<Quota> count, Limit limit) {
    while (true) {
      int now = count.get(this);
      if (!limit.allows(now + 1L)) {
        metrics.limitReached(limit.key());
        return false;
      }
      if (count.compareAndSet(this, now, now + 1)) {
        return true;
      }
    }
  }

  private boolean takes(AtomicLongFieldUpdater<Quota> bucket, long factor, Limit limit) {
    boolean taken = take(bucket, factor, limit);
    if (!taken) {
      metrics.limitReached(limit.key());
    }
    return taken;
  }

  private boolean take(AtomicLongFieldUpdater<Quota> bucket, long factor, Limit limit) {
    return !limit.isSet()
        || TokenBucket.take(bucket, this, factor * limit.most(), System.nanoTime());
  }

  /** Counts a connection. */
  Entry enter() {
    int now = connections;
    while (now != RETIRED) {
      if (!limits.connections().allows(now + 1L)) {
        metrics.limitReached(limits.connections().key());
        return Entry.FULL;
      }
      if (CONNECTION_COUNT.compareAndSet(this, now, now + 1)) {
        return Entry.ENTERED;
      }
      now = connections;
    }
    return Entry.RETIRED;
  }

  /** Counts a connection less; returns whether it was the last. */
  boolean exit() {
    return CONNECTION_COUNT.decrementAndGet(this) == 0;
  }

  /** Marks an unused quota as removed; a new one would allow no more than this one. */
  boolean retire(long nowNs) {
    return openingsNs - nowNs <= 0
        && handshakesNs - nowNs <= 0
        && publishesNs - nowNs <= 0
        && CONNECTION_COUNT.compareAndSet(this, 0, RETIRED);
  }
}
