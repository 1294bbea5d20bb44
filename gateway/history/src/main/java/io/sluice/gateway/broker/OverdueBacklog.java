package io.sluice.gateway.broker;

import java.util.concurrent.TimeUnit;

/**
 * Time for which messages that a source stores wait for full listeners. It is measured by the
 * node's clock alone: a message waits since the node was informed of it. Not thread-safe.
 */
public final class OverdueBacklog {
  /** Time after which a listener that was full no longer delays the messages. */
  private static final long FULL_NS = TimeUnit.SECONDS.toNanos(1);

  private final long limitNs;
  private boolean wasFull;
  private long fullNs;

  /** The end of the stored messages at {@link #sinceNs}. */
  private long end;

  private long sinceNs;

  /** Creates an instance without a backlog. */
  public OverdueBacklog(long limitMs) {
    this.limitNs = TimeUnit.MILLISECONDS.toNanos(limitMs);
  }

  /** Records that a message waits for a full listener. */
  public void onFull(long nowNs) {
    wasFull = true;
    fullNs = nowNs;
  }

  /**
   * Returns whether a message has waited for longer than the limit.
   *
   * @param next number of the next message for the listener
   * @param presentEnd number after that of the latest stored message
   */
  public boolean isOverdue(long next, long presentEnd, long nowNs) {
    boolean waits = wasFull && nowNs - fullNs < FULL_NS;
    if (!waits || next >= end) {
      end = presentEnd;
      sinceNs = nowNs;
    }
    return nowNs - sinceNs > limitNs;
  }
}
