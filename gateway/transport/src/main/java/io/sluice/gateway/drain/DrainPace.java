package io.sluice.gateway.drain;

import java.util.function.LongSupplier;

/**
 * Rate at which a draining node notifies its clients: a fixed rate, or evenly over the time left.
 * Bound to one thread.
 *
 * <p>The draining nodes of a cluster share a fixed rate: each uses what the nodes before it leave.
 * The clients of each second are spread over that second.
 */
public final class DrainPace {
  /** Longer than a message between nodes takes: each node needs the others' status in between. */
  public static final long INTERVAL_MS = 1000;

  private static final long SECOND_MS = 1000;

  /**
   * Minimum of an even rate, so that a node with few clients stops soon. Reconnects at this rate
   * are no load peak.
   */
  private static final int MIN_PER_SECOND = 1000;

  private final int perSecond;

  /** Null if the node shares the rate with no other. */
  private final LongSupplier before;

  /** Clients that may be notified in the current interval, per second. */
  private long rate;

  private long intervalMs;

  /** Unused permits, in thousandths of a client. */
  private long credit;

  private DrainPace(int perSecond, LongSupplier before, long rate) {
    this.perSecond = perSecond;
    this.before = before;
    this.rate = rate;
  }

  /**
   * Returns the pace of a node that shares it with no other.
   *
   * @param perSecond clients per second; 0: spread evenly over the time left
   */
  public static DrainPace of(int perSecond) {
    return new DrainPace(perSecond, null, perSecond);
  }

  /**
   * Returns the pace of a node in a cluster. It permits no client in the first interval: nodes that
   * begin at the same time must first receive each other's status.
   *
   * @param perSecond clients per second of all nodes, at least 1
   * @param before announces the number of clients of this node, and returns that of the draining
   *     nodes before it
   */
  public static DrainPace shared(int perSecond, LongSupplier before) {
    return new DrainPace(perSecond, before, 0);
  }

  /**
   * Returns the number of further clients that may be notified. Called periodically.
   *
   * @param waiting clients that have not been notified, at least 1
   * @param passedMs time since the previous call
   * @param leftMs time until all of them should be notified, for an even rate
   */
  public int clients(int waiting, long passedMs, long leftMs) {
    if (perSecond == 0) {
      return even(waiting, passedMs, leftMs);
    }
    credit += passedMs * rate;
    int clients = (int) Math.min(waiting, credit / SECOND_MS);
    // Clients that left without a notification save at most one permit.
    credit = Math.min(credit - clients * SECOND_MS, SECOND_MS);
    intervalMs += passedMs;
    if (before != null && intervalMs >= INTERVAL_MS) {
      intervalMs = 0;
      rate = Math.min(Math.max(0, perSecond - before.getAsLong()), waiting - clients);
    }
    return clients;
  }

  private static int even(int waiting, long passedMs, long leftMs) {
    if (passedMs >= leftMs) {
      return waiting;
    }
    long even = ceil(waiting * passedMs, leftMs);
    return (int) Math.min(waiting, Math.max(even, ceil(MIN_PER_SECOND * passedMs, SECOND_MS)));
  }

  /**
   * Returns the estimated time until this number of clients is notified, in milliseconds; 0 for an
   * even rate, which ends in time.
   */
  public long forecastMs(int clients) {
    if (perSecond == 0) {
      return 0;
    }
    long others = before == null ? 0 : before.getAsLong();
    long firstMs = before == null ? 0 : INTERVAL_MS;
    return firstMs + ceil((others + clients) * SECOND_MS, perSecond);
  }

  private static long ceil(long dividend, long divisor) {
    return (dividend + divisor - 1) / divisor;
  }
}
