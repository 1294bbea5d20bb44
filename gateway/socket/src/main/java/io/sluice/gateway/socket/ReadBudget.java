package io.sluice.gateway.socket;

import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Time in which an event loop may read from its sockets before it runs its tasks, such as
 * deliveries. Otherwise thousands of clients that connect at the same time delay the messages of
 * all others. Bound to its loop.
 */
final class ReadBudget {
  /** Some handshakes; a message waits at most this long, and for the read in progress. */
  static final long MAX_NS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Executor loop;
  private final LongSupplier clock;
  private final Runnable reset = this::reset;
  private boolean used;
  private long endNs;

  /**
   * @param loop runs its tasks after it has passed on the events of its sockets
   * @param clock monotonic time in nanoseconds
   */
  ReadBudget(Executor loop, LongSupplier clock) {
    this.loop = loop;
    this.clock = clock;
  }

  /**
   * Returns whether to read now. Otherwise the socket is read later: epoll reports it again,
   * because it is level-triggered. The first read after the loop's tasks is always allowed.
   */
  boolean allowsRead() {
    long nowNs = clock.getAsLong();
    if (!used) {
      used = true;
      endNs = nowNs + MAX_NS;
      loop.execute(reset);
    }
    return nowNs - endNs < 0;
  }

  private void reset() {
    used = false;
  }
}
