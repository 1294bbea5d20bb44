package io.sluice.gateway.admission;

/**
 * Overload detector of one event loop: overloaded once its timer is late several times in a row,
 * until it has been in time for longer. Bound to the loop.
 */
public final class OverloadDetector {
  static final int TICKS_TO_BEGIN = 3;
  static final int TICKS_TO_END = 10;

  private final long lagNs;
  private boolean over;
  private int ticks;

  /**
   * @param lagNs how late is too late; less than half of it is in time; 0: nothing is too late
   */
  public OverloadDetector(long lagNs) {
    this.lagNs = lagNs;
  }

  public boolean isOver() {
    return over;
  }

  /**
   * The timer has run.
   *
   * @return whether {@link #isOver} has changed by it
   */
  public boolean onTick(long lateNs) {
    boolean counts = over ? lateNs < lagNs / 2 : lagNs > 0 && lateNs > lagNs;
    ticks = counts ? ticks + 1 : 0;
    if (ticks < (over ? TICKS_TO_END : TICKS_TO_BEGIN)) {
      return false;
    }
    ticks = 0;
    over = !over;
    return true;
  }
}
