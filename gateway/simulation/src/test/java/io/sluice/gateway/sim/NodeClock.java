package io.sluice.gateway.sim;

import io.sluice.gateway.history.HubClock;

/** Monotonic and wall clock of one node. The wall clock may be wrong. */
public final class NodeClock implements HubClock {
  /** Wall-clock time at the beginning of a run. */
  public static final long EPOCH_MS = 1_763_700_000_000L;

  private final Timeline timeline;
  private final ClockSteps steps;
  private final boolean judgesFuture;
  public long skewMicros;

  public NodeClock(Timeline timeline) {
    this(timeline, null, true);
  }

  /**
   * @param steps steps of the wall clock, or null
   * @param judgesFuture false to violate {@link Rule#FUTURE_IS_REFUSED}
   */
  NodeClock(Timeline timeline, ClockSteps steps, boolean judgesFuture) {
    this.timeline = timeline;
    this.steps = steps;
    this.judgesFuture = judgesFuture;
  }

  @Override
  public long wallMs() {
    long offset = skewMicros + (steps == null ? 0 : steps.offsetMicros());
    return EPOCH_MS + Math.floorDiv(timeline.nowMicros() + offset, Plan.MILLI);
  }

  @Override
  public long nanos() {
    return timeline.nowMicros() * 1_000;
  }

  @Override
  public boolean isReached(long wallMs, long toleranceMs) {
    return !judgesFuture || HubClock.super.isReached(wallMs, toleranceMs);
  }
}
