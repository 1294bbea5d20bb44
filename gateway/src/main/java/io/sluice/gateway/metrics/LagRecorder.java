package io.sluice.gateway.metrics;

/**
 * How much later than planned one event loop runs its timer. Only that event loop may call it; it
 * neither allocates, blocks nor throws.
 */
public final class LagRecorder {
  private final LatencyRecorder recorder;

  LagRecorder(LatencyRecorder recorder) {
    this.recorder = recorder;
  }

  /** Records that the timer ran this much too late. */
  public void record(long micros) {
    recorder.record(micros, 1);
  }
}
