package io.sluice.loadtest;

import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** Running statistics of all measured clients. Any thread may add; one thread reads. */
final class Progress {
  private static final int DIGITS = 3;
  private static final double MICROS_PER_MILLI = 1000;

  private final Recorder latest = new Recorder(DIGITS);
  private final Histogram all = new Histogram(DIGITS);
  private final LongAdder lost = new LongAdder();

  /** Records a message received during the run. */
  void onMessage(long latencyMicros) {
    latest.recordValue(Math.max(0, latencyMicros));
  }

  /** Adds to the number of lost messages; negative when late messages are received. */
  void onLost(long more) {
    if (more != 0) {
      lost.add(more);
    }
  }

  /** Returns one line with the statistics since the previous line. */
  String line(int second, int clients) {
    Histogram since = latest.getIntervalHistogram();
    all.add(since);
    return String.format(
        Locale.ROOT,
        "%4d s  %d clients  %d messages/s to measured clients  p50 %.3f ms  p99 %.3f ms  %d lost",
        second,
        clients,
        since.getTotalCount(),
        all.getValueAtPercentile(50) / MICROS_PER_MILLI,
        all.getValueAtPercentile(99) / MICROS_PER_MILLI,
        lost.sum());
  }
}
