package io.sluice.gateway.query;

/**
 * Counters of a node since its start, and latencies of the last minute. Immutable, for any thread.
 *
 * @param clients number of connected clients
 * @param messages number of messages from the broker
 * @param frames number of frames sent to clients
 * @param frameBytes bytes of these frames
 * @param latency time from the broker's timestamp of a message to the write of its frame
 * @param loopLagMs median delay of event loop timers
 */
public record NodeTotals(
    int clients, long messages, long frames, long frameBytes, Latency latency, double loopLagMs) {
  /**
   * Quantiles in milliseconds.
   *
   * @param p50 median
   */
  public record Latency(double p50, double p99, double p999) {
    /** Quantiles of a minute without messages to clients. */
    public static final Latency NONE = new Latency(Double.NaN, Double.NaN, Double.NaN);

    /** Returns whether there were messages to clients. */
    public boolean isKnown() {
      return !Double.isNaN(p50);
    }
  }
}
