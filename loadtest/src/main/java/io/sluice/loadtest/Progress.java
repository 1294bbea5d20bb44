package io.sluice.loadtest;

import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * What all measured clients together have seen so far, for whoever watches. Any thread may add; one
 * thread reads.
 */
final class Progress {
  private static final int DIGITS = 3;
  private static final double MICROS_PER_MILLI = 1000;

  private final Recorder latest = new Recorder(DIGITS);
  private final Histogram all = new Histogram(DIGITS);
  private final LongAdder lost = new LongAdder();

  /** Takes a message that came within the run. */
  void onMessage(long latencyMicros) {
    latest.recordValue(Math.max(0, latencyMicros));
  }

  /** Takes what has come or gone missing. */
  void onLost(long more) {
    if (more != 0) {
      lost.add(more);
    }
  }

  /** One line about the second that has passed since the last line. */
  String line(int second, int clients) {
    Histogram since = latest.getIntervalHistogram();
    all.add(since);
    return String.format(
        Locale.ROOT,
        "%4d s  %d clients  %d messages/s to measured ones  p50 %.3f ms  p99 %.3f ms  %d lost",
        second,
        clients,
        since.getTotalCount(),
        all.getValueAtPercentile(50) / MICROS_PER_MILLI,
        all.getValueAtPercentile(99) / MICROS_PER_MILLI,
        lost.sum());
  }
}
