package io.sluice.gateway.feed;

import java.util.Arrays;

/**
 * Histogram of delays in nanoseconds with a relative error below 1/32. Confined to the feed's
 * thread.
 */
final class LatenessHistogram {
  private static final int BITS = 5;
  private static final int PER_DOUBLING = 1 << BITS;

  private final long[] counts = new long[PER_DOUBLING * (Long.SIZE - BITS)];
  private long count;
  private double sum;
  private long max;

  /** Adds a delay of at least 0. */
  void record(long ns) {
    counts[bucket(ns)]++;
    count++;
    sum += ns;
    max = Math.max(max, ns);
  }

  /** Returns the distribution of the recorded delays; all figures of an empty one are 0. */
  Lateness lateness() {
    double mean = count == 0 ? 0 : sum / count;
    return new Lateness(mean, percentile(50), percentile(99), percentile(99.9), max);
  }

  /** Removes all delays. */
  void reset() {
    Arrays.fill(counts, 0);
    count = 0;
    sum = 0;
    max = 0;
  }

  /** Returns the upper end of the percentile's bucket, at most the maximum. */
  private long percentile(double percent) {
    long rank = (long) Math.ceil(count * percent / 100);
    long seen = 0;
    for (int i = 0; i < counts.length && rank > 0; i++) {
      seen += counts[i];
      if (seen >= rank) {
        return Math.min(max, end(i));
      }
    }
    return max;
  }

  /** Returns the bucket of a value: exact below 2 × 32, then 32 buckets per doubling. */
  private static int bucket(long ns) {
    int shift = Math.max(0, Long.SIZE - 1 - BITS - Long.numberOfLeadingZeros(ns));
    return (shift << BITS) + (int) (ns >>> shift);
  }

  /** Returns the largest value of a bucket. */
  private static long end(int bucket) {
    int shift = Math.max(0, (bucket >> BITS) - 1);
    return ((long) (bucket - (shift << BITS)) + 1 << shift) - 1;
  }
}
