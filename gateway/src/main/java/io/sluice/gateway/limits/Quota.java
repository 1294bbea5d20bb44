package io.sluice.gateway.limits;

import io.sluice.gateway.limits.QuotaLimits.Limit;
import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counters of what one group of sessions uses together, such as those of one address, held to their
 * {@link QuotaLimits}. For any thread.
 */
public final class Quota {
  /** Quota of all sessions that need not be counted. */
  public static final Quota UNCOUNTED = new Quota("", QuotaLimits.none(), null);

  /** Connections for each handshake: a client that tries again is told why it is refused. */
  private static final long OPENINGS = 10;

  private static final int RETIRED = -1;

  private final String name;
  private final QuotaLimits limits;
  private final GatewayMetrics metrics;
  private final TokenBucket openings;
  private final TokenBucket handshakes;
  private final TokenBucket publishes;
  private final TokenBucket publishBytes;
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicLong subscriptions = new AtomicLong();

  /**
   * @param metrics counts each limit that is reached; null where there is none
   */
  public Quota(String name, QuotaLimits limits, GatewayMetrics metrics) {
    this.name = name;
    this.limits = limits;
    this.metrics = metrics;
    long nowNs = System.nanoTime();
    this.openings = TokenBucket.of(OPENINGS * limits.handshakes().most(), nowNs);
    this.handshakes = TokenBucket.of(limits.handshakes().most(), nowNs);
    this.publishes = TokenBucket.of(limits.publishes().most(), nowNs);
    this.publishBytes = TokenBucket.of(limits.publishBytes().most(), nowNs);
  }

  /** Returns the name of the group. */
  public String name() {
    return name;
  }

  /** Returns the number of connections. */
  int connections() {
    return Math.max(0, connections.get());
  }

  /** Counts a connection that has sent nothing yet; false if its rate is exceeded. */
  public boolean takeOpening() {
    return takes(openings, 1, limits.handshakes());
  }

  /** Counts a handshake; false if its rate is exceeded. */
  boolean takeHandshake() {
    return takes(handshakes, 1, limits.handshakes());
  }

  /** The same where an exceeded rate rejects nothing yet. */
  public boolean takeHandshakeIfAny() {
    return handshakes == null || handshakes.take(System.nanoTime());
  }

  /** Counts a publish; returns null, or the limit that rejects it. */
  public String publishProblem(long bytes) {
    if (!takes(publishes, 1, limits.publishes())) {
      return exceeds("publish rate", limits.publishes(), "/s");
    }
    return takes(publishBytes, bytes, limits.publishBytes())
        ? null
        : exceeds("rate of published bytes", limits.publishBytes(), "/s");
  }

  /** Counts a subscription; returns null, or the limit that rejects it. */
  public String subscribeProblem() {
    Limit limit = limits.subscriptions();
    if (!limit.isSet() || subscriptions.incrementAndGet() <= limit.most()) {
      return null;
    }
    endSubscription();
    metrics.limitReached(limit.key());
    return exceeds("number of subscriptions", limit, "");
  }

  /** Counts a subscription less. */
  public void endSubscription() {
    if (limits.subscriptions().isSet()) {
      subscriptions.decrementAndGet();
    }
  }

  private boolean takes(TokenBucket bucket, long tokens, Limit limit) {
    boolean taken = bucket == null || bucket.take(tokens, System.nanoTime());
    if (!taken) {
      metrics.limitReached(limit.key());
    }
    return taken;
  }

  private static String exceeds(String what, Limit limit, String unit) {
    return what + " exceeds " + limit.key() + " (" + limit.most() + unit + ")";
  }

  /** Counts a connection; false if the quota has been removed from its registry. */
  boolean enter() {
    int now = connections.get();
    while (now != RETIRED) {
      if (connections.compareAndSet(now, now + 1)) {
        return true;
      }
      now = connections.get();
    }
    return false;
  }

  /** Counts a connection less; true if the quota is unused and leaves its registry. */
  boolean leave(long nowNs) {
    return connections.decrementAndGet() == 0 && retire(nowNs);
  }

  /** Marks an unused quota as removed; a new one would allow no more than this one. */
  boolean retire(long nowNs) {
    return isFull(nowNs) && connections.compareAndSet(0, RETIRED);
  }

  private boolean isFull(long nowNs) {
    return isFull(openings, nowNs)
        && isFull(handshakes, nowNs)
        && isFull(publishes, nowNs)
        && isFull(publishBytes, nowNs);
  }

  private static boolean isFull(TokenBucket bucket, long nowNs) {
    return bucket == null || bucket.isFull(nowNs);
  }
}
