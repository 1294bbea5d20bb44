package io.sluice.loadtest;

import java.util.Collection;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * What a crowd of clients received, all latencies in microseconds. Immutable, for any thread.
 *
 * @param expected different messages received, and lost ones
 * @param worstP99 the 99th percentile of the client that has the highest
 */
record Summary(
    int clients,
    long expected,
    long received,
    long lost,
    long duplicates,
    long reordered,
    long gaps,
    long unreadable,
    long skewed,
    int measuredClients,
    long samples,
    double mean,
    long p50,
    long p95,
    long p99,
    long p999,
    long max,
    long worstP99) {

  static Summary of(Collection<ClientStream> streams) {
    Sum sum = new Sum();
    streams.forEach(sum::add);
    return sum.toSummary(streams.size());
  }

  /** Lost messages of all that should have come, 0 to 1. */
  double lossRatio() {
    return expected == 0 ? 0 : (double) lost / expected;
  }

  /** A few lines for people. */
  String toText() {
    return String.format(
        Locale.ROOT,
        """
        clients     %d, %d of them measured
        messages    %d received, %d lost (%.6f %%), %d twice, %d out of order
                    %d gaps told, %d without a stamp
        latency us  mean %.1f  p50 %d  p95 %d  p99 %d  p99.9 %d  max %d
                    %d samples, p99 of the worst client %d, %d before they were sent (clocks)
        """,
        clients,
        measuredClients,
        received,
        lost,
        lossRatio() * 100,
        duplicates,
        reordered,
        gaps,
        unreadable,
        mean,
        p50,
        p95,
        p99,
        p999,
        max,
        samples,
        worstP99,
        skewed);
  }

  /** The sums while they grow. */
  private static final class Sum {
    private final Histogram all = new Histogram(3);
    private long received;
    private long lost;
    private long duplicates;
    private long reordered;
    private long gaps;
    private long unreadable;
    private long skewed;
    private int measured;
    private long worstP99;

    void add(ClientStream stream) {
      received += stream.sequence().received();
      lost += stream.sequence().lost();
      duplicates += stream.sequence().duplicates();
      reordered += stream.sequence().reordered();
      gaps += stream.gaps();
      unreadable += stream.unreadable();
      skewed += stream.skewed();
      if (stream.latencyMicros() != null) {
        measured++;
        all.add(stream.latencyMicros());
        worstP99 = Math.max(worstP99, stream.latencyMicros().getValueAtPercentile(99));
      }
    }

    Summary toSummary(int clients) {
      return new Summary(
          clients,
          received - duplicates + lost,
          received,
          lost,
          duplicates,
          reordered,
          gaps,
          unreadable,
          skewed,
          measured,
          all.getTotalCount(),
          all.getMean(),
          all.getValueAtPercentile(50),
          all.getValueAtPercentile(95),
          all.getValueAtPercentile(99),
          all.getValueAtPercentile(99.9),
          all.getMaxValue(),
          worstP99);
    }
  }
}
