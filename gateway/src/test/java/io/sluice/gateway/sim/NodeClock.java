package io.sluice.gateway.sim;

import io.sluice.gateway.history.HubClock;

/** Monotonic and wall clock of one node. The wall clock may be wrong. */
public final class NodeClock implements HubClock {
  /** Wall-clock time at the beginning of a run. */
  public static final long EPOCH_MS = 1_763_700_000_000L;

  private final Timeline timeline;
  public long skewMicros;

  public NodeClock(Timeline timeline) {
    this.timeline = timeline;
  }

  @Override
  public long wallMs() {
    return EPOCH_MS + Math.floorDiv(timeline.nowMicros() + skewMicros, Plan.MILLI);
  }

  @Override
  public long nanos() {
    return timeline.nowMicros() * 1_000;
  }
}
