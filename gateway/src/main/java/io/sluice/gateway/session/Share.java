package io.sluice.gateway.session;

import java.util.concurrent.atomic.AtomicInteger;

/** What some connections have together, such as all those of one address. For any thread. */
public abstract class Share {
  private static final int GONE = -1;

  private final String name;
  private final AtomicInteger holders = new AtomicInteger();

  protected Share(String name) {
    this.name = name;
  }

  /** Whose it is. */
  public final String name() {
    return name;
  }

  /** How many connections there are. */
  public final int holders() {
    return holders.get();
  }

  /** Whether it could be made anew without anybody being the better for it. */
  protected abstract boolean isRested(long nowNs);

  /** One connection more; false if the share has left its table. */
  final boolean hold() {
    int now = holders.get();
    while (now != GONE) {
      if (holders.compareAndSet(now, now + 1)) {
        return true;
      }
      now = holders.get();
    }
    return false;
  }

  /** One connection less; true if the share is of no use any more, to be taken off its table. */
  final boolean letGo(long nowNs) {
    return holders.decrementAndGet() == 0 && retire(nowNs);
  }

  final boolean retire(long nowNs) {
    return isRested(nowNs) && holders.compareAndSet(0, GONE);
  }
}
