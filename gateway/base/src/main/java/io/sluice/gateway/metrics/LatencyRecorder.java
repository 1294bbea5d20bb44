package io.sluice.gateway.metrics;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Latencies recorded by one thread, in buckets. Only its owner, one event loop, may call {@link
 * #record}; it neither allocates, blocks nor throws. Any thread may read.
 */
public final class LatencyRecorder {
  /** Maximum latency, one hour; longer ones are recorded as this value. */
  static final long HIGHEST_MICROS = 3_600_000_000L;

  /** Inclusive upper bounds of the buckets; one more bucket contains longer latencies. */
  private static final long[] BOUNDS_MICROS = {
    100,
    250,
    500,
    1_000,
    2_500,
    5_000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    30_000_000,
    60_000_000
  };

  static final int BUCKETS = BOUNDS_MICROS.length + 1;

  private static final int SUM = BUCKETS;
  private static final int MAX = BUCKETS + 1;

  /** Counts of the buckets, followed by sum and maximum in microseconds. */
  private final LoopValues values = new LoopValues(BUCKETS + 2);

  /** The latest traced latency of each bucket, or null. */
  private final AtomicReferenceArray<TracedLatency> exemplars = new AtomicReferenceArray<>(BUCKETS);

  /**
   * Latency of a traced message.
   *
   * @param atMs time of the measurement, in milliseconds since 1970
   */
  record TracedLatency(long micros, String traceId, String spanId, long atMs) {}

  LatencyRecorder() {}

  /** Returns the inclusive upper bound of a bucket; infinity for the last one. */
  static double boundSeconds(int bucket) {
    return bucket == BOUNDS_MICROS.length
        ? Double.POSITIVE_INFINITY
        : BOUNDS_MICROS[bucket] / LatencyHistogram.MICROS_PER_SECOND;
  }

  /**
   * Records that some frames had the same latency.
   *
   * @param micros latency in microseconds; negative values (clock skew) are recorded as 0
   * @param frames number of frames; if below 1, nothing is recorded
   */
  public void record(long micros, long frames) {
    if (frames < 1) {
      return;
    }
    long clamped = Math.max(0, Math.min(micros, HIGHEST_MICROS));
    values.add(bucket(clamped), frames);
    values.add(SUM, clamped * frames);
    values.max(MAX, clamped);
  }

  /**
   * Records which trace a latency belongs to. The latency itself is recorded separately.
   *
   * @param nowMs the time in milliseconds since 1970
   */
  public void exemplar(long micros, String traceId, String spanId, long nowMs) {
    long clamped = Math.max(0, Math.min(micros, HIGHEST_MICROS));
    exemplars.set(bucket(clamped), new TracedLatency(clamped, traceId, spanId, nowMs));
  }

  /** Returns the latest traced latency of a bucket, or null. */
  TracedLatency exemplar(int bucket) {
    return exemplars.get(bucket);
  }

  private static int bucket(long micros) {
    int bucket = 0;
    while (bucket < BOUNDS_MICROS.length && micros > BOUNDS_MICROS[bucket]) {
      bucket++;
    }
    return bucket;
  }

  /** Returns the number of latencies in a bucket since the start. */
  long count(int bucket) {
    return values.get(bucket);
  }

  /** Returns the sum of all latencies since the start. */
  long sumMicros() {
    return values.get(SUM);
  }

  /** Returns the largest latency since the previous call. */
  long takeMaxMicros() {
    return values.take(MAX);
  }
}
