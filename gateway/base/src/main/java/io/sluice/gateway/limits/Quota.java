package io.sluice.gateway.limits;

import io.sluice.gateway.limits.QuotaLimits.Limit;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.InterestKey;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * Counters of the resources that one group of clients uses, bounded by their {@link QuotaLimits}. A
 * group is, for example, all clients of one address. For any thread.
 *
 * <p>There may be one quota per client. Counters and token buckets are therefore fields.
 */
public final class Quota {
  /** Quota of all clients that are not counted. */
  static final Quota UNCOUNTED = new Quota("", new CurrentLimits(QuotaLimits.none()), null, null);

  /**
   * Accepted connections per handshake of the rate limit. The margin lets a client that retries
   * receive the reason for the rejection.
   */
  private static final long ACCEPTS_PER_HANDSHAKE = 10;

  private static final int RETIRED = -1;

  private static final AtomicLongFieldUpdater<Quota> ACCEPTS_FULL_NS = bucket("acceptsFullNs");
  private static final AtomicLongFieldUpdater<Quota> HANDSHAKES_FULL_NS =
      bucket("handshakesFullNs");
  private static final AtomicLongFieldUpdater<Quota> PUBLISHES_FULL_NS = bucket("publishesFullNs");
  private static final AtomicIntegerFieldUpdater<Quota> CONNECTION_COUNT = counter("connections");
  private static final AtomicIntegerFieldUpdater<Quota> SUBSCRIPTION_COUNT =
      counter("subscriptions");
  private static final AtomicIntegerFieldUpdater<Quota> TOPIC_COUNT = counter("topics");
  private static final AtomicIntegerFieldUpdater<Quota> CONSUMER_COUNT = counter("consumers");

  private final String name;
  private final CurrentLimits current;
  private final ExclusiveTopics exclusive;
  private final GatewayMetrics metrics;

  /** Times at which the token buckets are full again, {@link System#nanoTime}. */
  private volatile long acceptsFullNs;

  private volatile long handshakesFullNs;
  private volatile long publishesFullNs;

  private volatile int connections;
  private volatile int subscriptions;
  private volatile int topics;
  private volatile int consumers;

  /** Result of {@link #acquire}. */
  enum Result {
    ACQUIRED,
    EXCEEDED,
    /** The quota has been removed from its registry. */
    RETIRED
  }

  /**
   * @param exclusive topics of all quotas of the kind; null: topics are not limited
   * @param metrics counts each limit that is reached; null if there is no limit
   */
  Quota(String name, CurrentLimits current, ExclusiveTopics exclusive, GatewayMetrics metrics) {
    this.name = name;
    this.current = current;
    this.exclusive = exclusive;
    this.metrics = metrics;
    long nowNs = System.nanoTime();
    this.acceptsFullNs = nowNs;
    this.handshakesFullNs = nowNs;
    this.publishesFullNs = nowNs;
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
    return current.get();
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
    return limits().connections().allows(connections() + 1L);
  }

  /** Takes a token for an accepted connection. Returns false if the rate is exceeded. */
  public boolean takeAccept() {
    return takes(ACCEPTS_FULL_NS, ACCEPTS_PER_HANDSHAKE, limits().handshakes());
  }

  /** Takes a token for a handshake. Returns false if the rate is exceeded. */
  public boolean takeHandshake() {
    return takes(HANDSHAKES_FULL_NS, 1, limits().handshakes());
  }

  /**
   * Takes a token for a handshake. Returns false if the rate is exceeded, but does not count that
   * in the metrics, because nothing is rejected yet.
   */
  public boolean takeHandshakeUnreported() {
    return take(HANDSHAKES_FULL_NS, 1, limits().handshakes());
  }

  /** Returns whether {@link #takeHandshake} would return true now. */
  public boolean canTakeHandshake() {
    return !limits().handshakes().isSet()
        || TokenBucket.has(handshakesFullNs, limits().handshakes().max(), System.nanoTime());
  }

  /** Counts a publish. Returns the limit that rejects it, or null. */
  Limit publish() {
    return takes(PUBLISHES_FULL_NS, 1, limits().publishes()) ? null : limits().publishes();
  }

  /** Counts a subscription. Returns the limit that rejects it, or null. */
  Limit subscribe(InterestKey key) {
    if (limits().subscriptions().isSet()
        && !increment(SUBSCRIPTION_COUNT, limits().subscriptions())) {
      return limits().subscriptions();
    }
    if (exclusive == null || exclusive.add(key, this)) {
      return null;
    }
    uncountSubscription();
    return limits().topics();
  }

  /** Returns the limit that would reject a subscription now, or null. */
  Limit rejection(InterestKey key) {
    if (limits().subscriptions().isSet() && !limits().subscriptions().allows(subscriptions + 1L)) {
      return limits().subscriptions();
    }
    boolean isNew = exclusive != null && !exclusive.contains(key);
    return isNew && !limits().topics().allows(topics + 1L) ? limits().topics() : null;
  }

  /** Removes a subscription from the count. */
  void unsubscribe(InterestKey key) {
    uncountSubscription();
    if (exclusive != null) {
      exclusive.remove(key, this);
    }
  }

  private void uncountSubscription() {
    if (limits().subscriptions().isSet()) {
      SUBSCRIPTION_COUNT.decrementAndGet(this);
    }
  }

  /** Counts a topic that no other group uses. Returns false if the limit is reached. */
  boolean acquireTopic() {
    return increment(TOPIC_COUNT, limits().topics());
  }

  /** Counts a topic that no other group uses any more, even past the limit. */
  void addTopicPastLimit() {
    TOPIC_COUNT.incrementAndGet(this);
  }

  void releaseTopic() {
    TOPIC_COUNT.decrementAndGet(this);
  }

  /** Counts a consumer of a queue. Returns the limit that rejects it, or null. */
  Limit acquireConsumer() {
    boolean acquired =
        !limits().consumers().isSet() || increment(CONSUMER_COUNT, limits().consumers());
    return acquired ? null : limits().consumers();
  }

  /** Removes a consumer from the count. */
  void releaseConsumer() {
    if (limits().consumers().isSet()) {
      CONSUMER_COUNT.decrementAndGet(this);
    }
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
        || TokenBucket.take(bucket, this, factor * limit.max(), System.nanoTime());
  }

  /** Counts a connection until {@link #release}. */
  Result acquire() {
    int now = connections;
    while (now != RETIRED) {
      if (!limits().connections().allows(now + 1L)) {
        metrics.limitReached(limits().connections().key());
        return Result.EXCEEDED;
      }
      if (CONNECTION_COUNT.compareAndSet(this, now, now + 1)) {
        return Result.ACQUIRED;
      }
      now = connections;
    }
    return Result.RETIRED;
  }

  /** Removes a connection from the count. Returns whether it was the last. */
  boolean release() {
    return CONNECTION_COUNT.decrementAndGet(this) == 0;
  }

  /**
   * Marks the quota as removed if it has no connections and its token buckets are full. Returns
   * whether it is marked.
   */
  boolean retire(long nowNs) {
    return acceptsFullNs - nowNs <= 0
        && handshakesFullNs - nowNs <= 0
        && publishesFullNs - nowNs <= 0
        && CONNECTION_COUNT.compareAndSet(this, 0, RETIRED);
  }
}
