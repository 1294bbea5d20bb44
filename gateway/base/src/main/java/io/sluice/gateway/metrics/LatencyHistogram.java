package io.sluice.gateway.metrics;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.Exemplar;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricFamilyDescriptor;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Unit;
import io.sluice.gateway.metrics.LatencyRecorder.TracedLatency;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * Histogram of latencies of all event loops: buckets since the start, and maxima and quantiles of
 * the last minute. Any thread may call it; it never blocks a recorder.
 *
 * <p>Prometheus reads the buckets as a histogram and the maxima as a gauge. The minute consists of
 * six slots of ten seconds. {@link #update} must be called regularly, because a slot begins with
 * the first call in it.
 */
final class LatencyHistogram implements MultiCollector {
  static final int SLOTS = 6;
  static final long SLOT_NS = 10_000_000_000L;
  static final double MICROS_PER_SECOND = 1e6;
  private static final int MAX_RECORDERS = 4096;

  private final String name;
  private final String meaning;
  private final LongSupplier nanoTime;
  private final List<Source> sources = new ArrayList<>();

  /** Bucket counts at the latest collection. */
  private long[] counts = new long[LatencyRecorder.BUCKETS];

  /** Bucket counts at the beginning of each slot. */
  private final long[][] begun = new long[SLOTS][LatencyRecorder.BUCKETS];

  private long slotNumber;

  /**
   * Creates a histogram without recorders.
   *
   * @param name dotted name without unit, such as {@code sluice.fanout.latency}
   * @param meaning description in one sentence
   */
  LatencyHistogram(String name, String meaning, LongSupplier nanoTime) {
    this.name = name;
    this.meaning = meaning;
    this.nanoTime = nanoTime;
    this.slotNumber = currentSlotNumber();
  }

  String name() {
    return name;
  }

  /**
   * Creates a recorder for one more thread.
   *
   * @param loop label of its maximum; empty if the maxima have no label
   */
  synchronized LatencyRecorder newRecorder(String loop) {
    if (sources.size() == MAX_RECORDERS) {
      throw new IllegalStateException(
          "more than " + MAX_RECORDERS + " latency recorders; there is one per event loop");
    }
    Source source = new Source(loop);
    sources.add(source);
    return source.recorder;
  }

  @Override
  public synchronized MetricSnapshots collect() {
    update();
    return MetricSnapshots.of(histogram(), max());
  }

  /** Reads all recorders. */
  synchronized void update() {
    advance();
    long[] now = new long[LatencyRecorder.BUCKETS];
    for (Source source : sources) {
      source.addTo(now, slot(slotNumber));
    }
    counts = now;
  }

  @Override
  public List<MetricFamilyDescriptor> getMetricFamilyDescriptors() {
    return List.of(
        MetricFamilyDescriptor.histogram(seriesName()).build(),
        MetricFamilyDescriptor.gauge(seriesName() + "_max").build());
  }

  private String seriesName() {
    return name.replace('.', '_') + "_seconds";
  }

  private HistogramSnapshot histogram() {
    double[] bounds =
        IntStream.range(0, LatencyRecorder.BUCKETS)
            .mapToDouble(LatencyRecorder::boundSeconds)
            .toArray();
    return HistogramSnapshot.builder()
        .name(seriesName())
        .help(meaning)
        .unit(Unit.SECONDS)
        .dataPoint(
            new HistogramDataPointSnapshot(
                ClassicHistogramBuckets.of(bounds, counts),
                sumSeconds(),
                Labels.EMPTY,
                exemplars(),
                0))
        .build();
  }

  /** Returns the latest traced latency of each bucket. */
  private Exemplars exemplars() {
    List<Exemplar> latest = new ArrayList<>();
    for (int bucket = 0; bucket < LatencyRecorder.BUCKETS; bucket++) {
      int each = bucket;
      sources.stream()
          .map(source -> source.recorder.exemplar(each))
          .filter(Objects::nonNull)
          .max(Comparator.comparingLong(TracedLatency::atMs))
          .map(LatencyHistogram::exemplar)
          .ifPresent(latest::add);
    }
    return Exemplars.of(latest);
  }

  private static Exemplar exemplar(TracedLatency traced) {
    return Exemplar.builder()
        .value(traced.micros() / MICROS_PER_SECOND)
        .traceId(traced.traceId())
        .spanId(traced.spanId())
        .timestampMillis(traced.atMs())
        .build();
  }

  private GaugeSnapshot max() {
    GaugeSnapshot.Builder gauge =
        GaugeSnapshot.builder()
            .name(seriesName() + "_max")
            .help("Largest " + seriesName() + " of the last minute.");
    maxSeconds()
        .forEach(
            (loop, max) ->
                gauge.dataPoint(
                    GaugeDataPointSnapshot.builder()
                        .labels(loop.isEmpty() ? Labels.EMPTY : Labels.of("loop", loop))
                        .value(max)
                        .build()));
    return gauge.build();
  }

  /** Returns the number of latencies since the start. */
  synchronized long count() {
    update();
    return Arrays.stream(counts).sum();
  }

  /** Returns the sum of all latencies since the start. */
  synchronized double sumSeconds() {
    return sources.stream().mapToLong(source -> source.recorder.sumMicros()).sum()
        / MICROS_PER_SECOND;
  }

  /** Returns the largest latency of the last minute. */
  synchronized double maxOfAllSeconds() {
    update();
    return maxSeconds().values().stream().mapToDouble(Double::doubleValue).max().orElse(0);
  }

  /** Returns the largest latency of the last minute for each label. */
  private Map<String, Double> maxSeconds() {
    Map<String, Double> max = new TreeMap<>();
    for (Source source : sources) {
      max.merge(source.loop, source.max() / MICROS_PER_SECOND, Math::max);
    }
    return max;
  }

  /**
   * Returns a quantile of the last minute, interpolated within its bucket; NaN if there were no
   * latencies.
   */
  synchronized double quantileSeconds(double quantile) {
    double highest = maxOfAllSeconds();
    long[] oldest = begun[slot(slotNumber + 1)];
    double rank = quantile * (Arrays.stream(counts).sum() - Arrays.stream(oldest).sum());
    double lower = 0;
    for (int i = 0; i < counts.length; i++) {
      double upper = Math.min(LatencyRecorder.boundSeconds(i), highest);
      long inBucket = counts[i] - oldest[i];
      if (inBucket > 0 && rank <= inBucket) {
        return lower + Math.max(0, upper - lower) * rank / inBucket;
      }
      rank -= inBucket;
      lower = upper;
    }
    return Double.NaN;
  }

  private void advance() {
    long now = currentSlotNumber();
    long passed = Math.min(now - slotNumber, SLOTS);
    for (long i = 0; i < passed; i++) {
      int slot = slot(now - i);
      begun[slot] = counts;
      sources.forEach(source -> source.maxMicros[slot] = 0);
    }
    slotNumber = now;
  }

  private long currentSlotNumber() {
    return Math.floorDiv(nanoTime.getAsLong(), SLOT_NS);
  }

  private static int slot(long number) {
    return (int) Math.floorMod(number, (long) SLOTS);
  }

  /** One recorder and the maxima of its slots. Guarded by the histogram. */
  private static final class Source {
    private final String loop;
    private final LatencyRecorder recorder = new LatencyRecorder();
    private final long[] maxMicros = new long[SLOTS];

    Source(String loop) {
      this.loop = loop;
    }

    void addTo(long[] counts, int slot) {
      for (int i = 0; i < counts.length; i++) {
        counts[i] += recorder.count(i);
      }
      maxMicros[slot] = Math.max(maxMicros[slot], recorder.takeMaxMicros());
    }

    long max() {
      return Arrays.stream(maxMicros).max().orElse(0);
    }
  }
}
