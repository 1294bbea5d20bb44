package io.sluice.gateway.session;

import io.sluice.gateway.metrics.GatewayMetrics;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Where clients may be sent that follow redirects, and how many of those there are. For any thread.
 *
 * <p>What is known of one client is its mobility, a number that its session keeps for it. It is
 * {@link #FIXED} if the client follows no redirects and 0 if it may be sent elsewhere now. A client
 * rests after it has come and after it was told to go, or clients would be sent back and forth: so
 * many pings as the number says, above 0 for one that has come and below 0 for one that was told.
 */
public final class Moves {
  /** The mobility of a client that follows no redirects. */
  static final short FIXED = Short.MIN_VALUE;

  private static final short FREE = 0;

  private final GatewayMetrics metrics;
  private final long pingMs;
  private final AtomicInteger movable = new AtomicInteger();
  private final AtomicInteger moving = new AtomicInteger();
  private volatile Supplier<String> entries = () -> null;
  private volatile short restPings;

  /**
   * @param pingMs between two pings of a client
   */
  Moves(GatewayMetrics metrics, long pingMs) {
    this.metrics = metrics;
    this.pingMs = pingMs;
  }

  /**
   * From now on clients may be sent elsewhere when they come, and rest.
   *
   * @param entries where the client should go that comes now, or null if it is welcome; asked on
   *     event loops
   * @param rest how long a client stays at least; rounded up to pings, and one more
   */
  public void begin(Supplier<String> entries, Duration rest) {
    long pings = rest.isZero() ? 0 : (rest.toMillis() + pingMs - 1) / pingMs + 1;
    this.restPings = (short) Math.min(pings, Short.MAX_VALUE);
    this.entries = entries;
  }

  /** Clients that follow redirects, and were not told to go, or not lately. */
  public int movable() {
    return movable.get();
  }

  /** Clients that were told to go a moment ago and are still here. */
  public int moving() {
    return moving.get();
  }

  /** Where the client should go that comes now, counted, or null if it is welcome. */
  String entry() {
    String place = entries.get();
    if (place != null) {
      metrics.redirected("connect");
    }
    return place;
  }

  /** A client is in that follows redirects; gives its mobility, as do the next two. */
  short onOpen() {
    movable.incrementAndGet();
    return restPings;
  }

  /** A client was told of a better place. */
  short onTold(MoveReason reason) {
    metrics.redirected(reason.cause());
    movable.decrementAndGet();
    moving.incrementAndGet();
    return (short) -Math.max(1, restPings);
  }

  /** A client is pinged. */
  short onPing(short mobility) {
    if (mobility == FIXED || mobility == FREE) {
      return mobility;
    }
    if (mobility == -1) {
      moving.decrementAndGet();
      movable.incrementAndGet();
    }
    return (short) (mobility - Integer.signum(mobility));
  }

  /** Whether a client may be told to go now. */
  boolean isFree(short mobility, MoveReason reason) {
    return mobility == FREE || reason == MoveReason.BROKER_LOST && mobility > FREE;
  }

  /** A client has left. */
  void onClosed(short mobility) {
    if (mobility >= FREE) {
      movable.decrementAndGet();
    } else if (mobility != FIXED) {
      moving.decrementAndGet();
    }
  }
}
