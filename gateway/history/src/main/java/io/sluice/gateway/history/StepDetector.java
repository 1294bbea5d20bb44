package io.sluice.gateway.history;

/**
 * Clocks of a node that detect steps of the wall clock, by its difference from the monotonic clock.
 * Differences within the tolerance are no step. Any thread may call it.
 */
public final class StepDetector implements HubClock {
  /** Maximum duration of a reading of both clocks. A longer one shows no difference. */
  private static final long MAX_READING_MS = 20;

  private final HubClock clock;
  private final long toleranceMs;

  // Smallest and largest difference since the latest step. Both change only with the lock.
  private volatile long minOffsetMs;
  private volatile long maxOffsetMs;

  /** The largest wall-clock time before the latest step. */
  private long reachedMs = Long.MIN_VALUE;

  private volatile long comparableSinceMs = Long.MIN_VALUE;

  /**
   * Creates a detector.
   *
   * @param toleranceMs sum of adjustments up to which wall-clock times remain comparable
   */
  public StepDetector(HubClock clock, long toleranceMs) {
    this.clock = clock;
    this.toleranceMs = toleranceMs;
    this.minOffsetMs = clock.wallMs() - clock.monoMs();
    this.maxOffsetMs = minOffsetMs;
  }

  @Override
  public long wallMs() {
    long wallMs = clock.wallMs();
    long offsetMs = wallMs - clock.monoMs();
    if (offsetMs < minOffsetMs || offsetMs > maxOffsetMs) {
      measure();
    }
    return wallMs;
  }

  @Override
  public boolean isReached(long wallMs, long ofToleranceMs) {
    return clock.isReached(wallMs, ofToleranceMs);
  }

  @Override
  public long nanos() {
    return clock.nanos();
  }

  @Override
  public long comparableSinceMs() {
    wallMs();
    return comparableSinceMs;
  }

  // The thread may be suspended between the readings of both clocks.
  private synchronized void measure() {
    long beforeMs = clock.monoMs();
    long wallMs = clock.wallMs();
    long nowMs = clock.monoMs();
    if (nowMs - beforeMs > MAX_READING_MS) {
      return;
    }
    long offsetMs = wallMs - nowMs;
    long min = Math.min(minOffsetMs, offsetMs);
    long max = Math.max(maxOffsetMs, offsetMs);
    if (max - min > toleranceMs) {
      reachedMs = Math.max(reachedMs, nowMs + maxOffsetMs);
      comparableSinceMs = nowMs + Math.max(0, reachedMs - wallMs);
      min = offsetMs;
      max = offsetMs;
    }
    minOffsetMs = min;
    maxOffsetMs = max;
  }
}
