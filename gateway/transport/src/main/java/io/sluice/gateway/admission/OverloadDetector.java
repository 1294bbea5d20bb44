package io.sluice.gateway.admission;

/**
 * Overload detector of one event loop, with hysteresis. Bound to the loop.
 *
 * <p>Overload begins after several late timer ticks in a row. It ends after a longer series of
 * ticks in time.
 */
public final class OverloadDetector {
  static final int TICKS_TO_BEGIN = 3;
  static final int TICKS_TO_END = 10;

  private final long lagNs;
  private boolean overloaded;
  private int ticks;

  /**
   * @param lagNs lateness past which a tick is late; below half of it, a tick is in time; 0: no
   *     tick is late
   */
  public OverloadDetector(long lagNs) {
    this.lagNs = lagNs;
  }

  public boolean isOverloaded() {
    return overloaded;
  }

  /**
   * Records a tick of the timer.
   *
   * @return whether {@link #isOverloaded} has changed
   */
  public boolean onTick(long lateNs) {
    boolean counts = overloaded ? lateNs < lagNs / 2 : lagNs > 0 && lateNs > lagNs;
    ticks = counts ? ticks + 1 : 0;
    if (ticks < (overloaded ? TICKS_TO_END : TICKS_TO_BEGIN)) {
      return false;
    }
    ticks = 0;
    overloaded = !overloaded;
    return true;
  }
}
