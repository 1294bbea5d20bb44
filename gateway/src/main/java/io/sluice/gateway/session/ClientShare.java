package io.sluice.gateway.session;

import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What clients that belong together have together, such as those of one address. For any thread.
 */
public final class ClientShare extends Share {
  /** Of all sessions that nobody has to count. */
  public static final ClientShare UNCOUNTED = new ClientShare("", ShareLimits.none(), null);

  /** How many connections may come for each handshake, so that whoever tries again is told why. */
  private static final long OPENINGS = 10;

  private final ShareLimits limits;
  private final GatewayMetrics metrics;
  private final SharedBudget openings;
  private final SharedBudget handshakes;
  private final SharedBudget publishes;
  private final SharedBudget publishBytes;
  private final AtomicLong subscriptions = new AtomicLong();

  /**
   * @param metrics told of each limit that is reached; null where there is none
   */
  ClientShare(String name, ShareLimits limits, GatewayMetrics metrics) {
    super(name);
    this.limits = limits;
    this.metrics = metrics;
    long nowNs = System.nanoTime();
    this.openings = SharedBudget.of(OPENINGS * limits.handshakes().most(), nowNs);
    this.handshakes = SharedBudget.of(limits.handshakes().most(), nowNs);
    this.publishes = SharedBudget.of(limits.publishes().most(), nowNs);
    this.publishBytes = SharedBudget.of(limits.publishBytes().most(), nowNs);
  }

  /** Counts a connection that has said nothing yet; false if it is one too many for now. */
  public boolean takeOpening() {
    return takes(openings, 1, limits.handshakes());
  }

  /** Counts a handshake; false if it is one too many for now. */
  boolean takeHandshake() {
    return takes(handshakes, 1, limits.handshakes());
  }

  /** The same where nobody is refused anything for it yet. */
  public boolean takeHandshakeIfAny() {
    return handshakes == null || handshakes.take(1, System.nanoTime());
  }

  /** Why nobody may publish so many bytes just now, or null: then it is counted. */
  String publishProblem(long bytes) {
    if (!takes(publishes, 1, limits.publishes())) {
      return over(limits.publishes().most() + " publishes");
    }
    return takes(publishBytes, bytes, limits.publishBytes())
        ? null
        : over(limits.publishBytes().most() + " bytes");
  }

  private boolean takes(SharedBudget budget, long amount, ShareLimits.Limit limit) {
    boolean taken = budget == null || budget.take(amount, System.nanoTime());
    if (!taken) {
      metrics.limitReached(limit.key());
    }
    return taken;
  }

  private String over(String much) {
    return limits.whose() + " together are over " + much + " a second";
  }

  /** Why nobody may subscribe to one more just now, or null: then it is counted. */
  String subscribeProblem() {
    ShareLimits.Limit limit = limits.subscriptions();
    if (!limit.isSet() || subscriptions.incrementAndGet() <= limit.most()) {
      return null;
    }
    endSubscription();
    metrics.limitReached(limit.key());
    return limits.whose() + " together have " + limit.most() + ", as many as they are allowed";
  }

  /** One subscription less. */
  void endSubscription() {
    if (limits.subscriptions().isSet()) {
      subscriptions.decrementAndGet();
    }
  }

  @Override
  protected boolean isRested(long nowNs) {
    return isFull(openings, nowNs)
        && isFull(handshakes, nowNs)
        && isFull(publishes, nowNs)
        && isFull(publishBytes, nowNs);
  }

  private static boolean isFull(SharedBudget budget, long nowNs) {
    return budget == null || budget.isFull(nowNs);
  }
}
