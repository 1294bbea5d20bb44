package io.sluice.gateway.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * The latencies of all event loops over the last minute, and their count and sum since the start.
 * Any thread may call it; recorders are never blocked by it.
 *
 * <p>Reading changes nothing but where a value is kept, so any number of scrapers see the same
 * figures. Values move from the recorders into the bucket of the moment, ten seconds wide; six
 * buckets are a window of 50 to 60 seconds. {@link #collect} must be called now and then, also when
 * nobody reads, or old values would be taken for new ones.
 */
final class LatencyWindow {
  static final int BUCKETS = 6;
  static final long BUCKET_NS = 10_000_000_000L;
  private static final int MAX_RECORDERS = 4096;
  private static final double MICROS_PER_SECOND = 1e6;

  private final LongSupplier nanoTime;
  private final List<Source> sources = new ArrayList<>();
  private final Histogram[] buckets = new Histogram[BUCKETS];
  private final Histogram merged = newHistogram();
  private long bucketNumber;
  private long count;

  LatencyWindow(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    for (int i = 0; i < BUCKETS; i++) {
      buckets[i] = newHistogram();
    }
    bucketNumber = currentBucketNumber();
  }

  /** A recorder for one more thread; its maximum is told apart under a name that is not empty. */
  synchronized LatencyRecorder newRecorder(String loop) {
    if (sources.size() == MAX_RECORDERS) {
      throw new IllegalStateException(
          "more than " + MAX_RECORDERS + " latency recorders; there is one per event loop");
    }
    Source source = new Source(loop);
    sources.add(source);
    return source.recorder;
  }

  /** Takes over what the recorders hold. */
  synchronized void collect() {
    advance();
    int slot = slot();
    for (Source source : sources) {
      count += source.moveTo(buckets[slot], slot);
    }
  }

  /** The state of this moment. */
  synchronized LatencySnapshot snapshot() {
    collect();
    merged.reset();
    for (Histogram bucket : buckets) {
      merged.add(bucket);
    }
    return new LatencySnapshot(count, sumSeconds(), quantiles(), maxByLoop());
  }

  private void advance() {
    long now = currentBucketNumber();
    long passed = Math.min(now - bucketNumber, BUCKETS);
    for (long i = 0; i < passed; i++) {
      int expired = (int) Math.floorMod(now - i, (long) BUCKETS);
      buckets[expired].reset();
      sources.forEach(source -> source.maxMicros[expired] = 0);
    }
    bucketNumber = now;
  }

  private double sumSeconds() {
    long micros = 0;
    for (Source source : sources) {
      micros += source.recorder.sumMicros();
    }
    return micros / MICROS_PER_SECOND;
  }

  private List<Double> quantiles() {
    boolean empty = merged.getTotalCount() == 0;
    return LatencySnapshot.QUANTILES.stream()
        .map(q -> empty ? Double.NaN : merged.getValueAtPercentile(q * 100) / MICROS_PER_SECOND)
        .toList();
  }

  private Map<String, Double> maxByLoop() {
    Map<String, Double> max = new TreeMap<>();
    for (Source source : sources) {
      max.merge(source.loop, source.max() / MICROS_PER_SECOND, Math::max);
    }
    return max;
  }

  private long currentBucketNumber() {
    return Math.floorDiv(nanoTime.getAsLong(), BUCKET_NS);
  }

  private int slot() {
    return (int) Math.floorMod(bucketNumber, (long) BUCKETS);
  }

  private static Histogram newHistogram() {
    return new Histogram(LatencyRecorder.HIGHEST_MICROS, LatencyRecorder.DIGITS);
  }

  /** One recorder and the maxima of its buckets. Guarded by the window. */
  private static final class Source {
    private final String loop;
    private final LatencyRecorder recorder = new LatencyRecorder();
    private final long[] maxMicros = new long[BUCKETS];
    private Histogram interval;

    Source(String loop) {
      this.loop = loop;
    }

    long moveTo(Histogram bucket, int slot) {
      interval = recorder.swap(interval);
      long moved = interval.getTotalCount();
      if (moved > 0) {
        bucket.add(interval);
        maxMicros[slot] = Math.max(maxMicros[slot], interval.getMaxValue());
      }
      return moved;
    }

    long max() {
      long max = 0;
      for (long micros : maxMicros) {
        max = Math.max(max, micros);
      }
      return max;
    }
  }
}
