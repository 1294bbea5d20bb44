package io.sluice.gateway.session;

import io.sluice.gateway.metrics.GatewayMetrics;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Redirect cooldown of the clients that follow redirects, and their numbers. For any thread.
 *
 * <p>The state of one client is its mobility, a number that its session stores. It is {@link
 * #FIXED} if the client follows no redirects and 0 if it may be redirected now. A client has a
 * cooldown after it connected and after it was redirected, otherwise clients would oscillate
 * between nodes. The absolute value is the number of pings left: above 0 after connecting, below 0
 * after a redirect.
 */
public final class RedirectCooldown {
  /** The mobility of a client that follows no redirects. */
  static final short FIXED = Short.MIN_VALUE;

  private static final short FREE = 0;

  private final GatewayMetrics metrics;
  private final long pingMs;
  private final AtomicInteger movable = new AtomicInteger();
  private final AtomicInteger redirected = new AtomicInteger();
  private volatile Supplier<String> targets = () -> null;
  private volatile short cooldownPings;

  /**
   * @param pingMs interval between two pings of a client
   */
  RedirectCooldown(GatewayMetrics metrics, long pingMs) {
    this.metrics = metrics;
    this.pingMs = pingMs;
  }

  /**
   * Enables redirects of clients that connect, and the cooldown.
   *
   * @param targets supplies the redirect target of a client that connects now, or null to serve it
   *     here; called on event loops
   * @param cooldown shortest time between two redirects of a client; rounded up to pings, plus one
   */
  public void enable(Supplier<String> targets, Duration cooldown) {
    long pings = cooldown.isZero() ? 0 : (cooldown.toMillis() + pingMs - 1) / pingMs + 1;
    this.cooldownPings = (short) Math.min(pings, Short.MAX_VALUE);
    this.targets = targets;
  }

  /** Returns the number of clients that follow redirects and were not redirected recently. */
  public int movable() {
    return movable.get();
  }

  /** Returns the number of clients that were redirected recently and are still connected. */
  public int redirected() {
    return redirected.get();
  }

  /**
   * Returns and counts the redirect target of a client that connects now, or null to serve it here.
   */
  String connectTarget() {
    String target = targets.get();
    if (target != null) {
      metrics.redirected("connect");
    }
    return target;
  }

  /**
   * Counts a new client that follows redirects; returns its mobility, like the next two methods.
   */
  short onOpen() {
    movable.incrementAndGet();
    return cooldownPings;
  }

  /** Counts a redirected client. */
  short onRedirected(RedirectReason reason) {
    metrics.redirected(reason.cause());
    movable.decrementAndGet();
    redirected.incrementAndGet();
    return (short) -Math.max(1, cooldownPings);
  }

  /** Advances the cooldown of a client. */
  short onPing(short mobility) {
    if (mobility == FIXED || mobility == FREE) {
      return mobility;
    }
    if (mobility == -1) {
      redirected.decrementAndGet();
      movable.incrementAndGet();
    }
    return (short) (mobility - Integer.signum(mobility));
  }

  /** Returns whether a client may be redirected now. */
  boolean canRedirect(short mobility, RedirectReason reason) {
    return mobility == FREE || reason != RedirectReason.BALANCE && mobility > FREE;
  }

  /** Removes a client from the counts. */
  void onClosed(short mobility) {
    if (mobility >= FREE) {
      movable.decrementAndGet();
    } else if (mobility != FIXED) {
      redirected.decrementAndGet();
    }
  }
}
