package io.sluice.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class LatencyHistogramTest {
  private final AtomicLong clock = new AtomicLong(-3 * LatencyHistogram.SLOT_NS);
  private final LatencyHistogram histogram =
      new LatencyHistogram("a.latency", "A latency.", clock::get);

  @Test
  void shouldHaveNoQuantilesWhileEmpty() {
    histogram.newRecorder("");

    assertThat(histogram.count()).isZero();
    assertThat(histogram.sumSeconds()).isZero();
    assertThat(histogram.quantileSeconds(0.5)).isNaN();
    assertThat(histogram.maxOfAllSeconds()).isZero();
  }

  @Test
  void shouldMergeAllLoops() {
    LatencyRecorder first = histogram.newRecorder("");
    LatencyRecorder second = histogram.newRecorder("");
    for (int millis = 1; millis <= 1000; millis++) {
      (millis % 2 == 0 ? first : second).record(millis * 1000L, 10);
    }

    assertThat(histogram.count()).isEqualTo(10_000);
    assertThat(histogram.sumSeconds()).isEqualTo(5005.0);
    assertQuantiles(1.0);
    assertThat(maxima()).containsExactly(Map.entry(Labels.EMPTY, 1.0));
  }

  @Test
  void shouldShowInclusiveUpperBoundsOfBuckets() {
    LatencyRecorder recorder = histogram.newRecorder("");
    recorder.record(100, 1);
    recorder.record(101, 2);
    recorder.record(60_000_001, 4);

    ClassicHistogramBuckets buckets = buckets();
    assertThat(buckets.getUpperBound(0)).isEqualTo(0.000_1);
    assertThat(buckets.getCount(0)).isEqualTo(1);
    assertThat(buckets.getCount(1)).isEqualTo(2);
    assertThat(buckets.getUpperBound(buckets.size() - 1)).isInfinite();
    assertThat(buckets.getCount(buckets.size() - 1)).isEqualTo(4);
  }

  @Test
  void shouldKeepBucketsThatAreOlderThanAMinute() {
    histogram.newRecorder("").record(1_000, 3);
    histogram.update();
    pass(1_000);

    assertThat(buckets().stream().mapToLong(bucket -> bucket.getCount()).sum()).isEqualTo(3);
  }

  @Test
  void shouldDistinguishMaximaByLoop() {
    histogram.newRecorder("0").record(1_000, 1);
    histogram.newRecorder("1").record(2_000_000, 1);

    assertThat(maxima())
        .containsOnly(
            Map.entry(Labels.of("loop", "0"), 0.001), Map.entry(Labels.of("loop", "1"), 2.0));
  }

  @Test
  void shouldExportTheSameToEveryScraper() {
    histogram.newRecorder("").record(5_000, 3);

    assertThat(maxima()).isEqualTo(maxima());
    assertThat(histogram.count()).isEqualTo(histogram.count());
    assertThat(histogram.quantileSeconds(0.5)).isEqualTo(histogram.quantileSeconds(0.5));
  }

  @Test
  void shouldDiscardMaximaAndQuantilesThatAreOlderThanAMinute() {
    LatencyRecorder recorder = histogram.newRecorder("");
    recorder.record(1_000_000, 1);
    histogram.update();
    pass(LatencyHistogram.SLOTS - 1);
    recorder.record(1_000, 1);
    assertThat(histogram.maxOfAllSeconds()).isEqualTo(1.0);
    assertThat(histogram.quantileSeconds(0.999)).isGreaterThan(0.5);

    pass(1);

    assertThat(histogram.maxOfAllSeconds()).isEqualTo(0.001);
    assertThat(histogram.quantileSeconds(0.999)).isBetween(0.000_5, 0.001);
    assertThat(histogram.count()).isEqualTo(2);
    assertThat(histogram.sumSeconds()).isEqualTo(1.001);
  }

  @Test
  void shouldBeEmptyAfterALongPause() {
    histogram.newRecorder("").record(1_000_000, 1);
    histogram.update();

    pass(1_000_000);

    assertThat(histogram.quantileSeconds(0.5)).isNaN();
    assertThat(histogram.maxOfAllSeconds()).isZero();
  }

  @Test
  void shouldRefuseRecordersAboveTheLimit() {
    for (int i = 0; i < 4096; i++) {
      histogram.newRecorder("");
      if (i % 64 == 0) {
        histogram.update();
      }
    }

    assertThatThrownBy(() -> histogram.newRecorder("")).hasMessageContaining("4096");
  }

  @Test
  void shouldLoseNothingBetweenConcurrentWritersAndScrapers() throws Exception {
    int writers = 4;
    int each = 200_000;
    ExecutorService threads = Executors.newFixedThreadPool(writers + 2);
    AtomicBoolean writing = new AtomicBoolean(true);
    List<Future<?>> writes = new ArrayList<>();
    List<Future<?>> scrapes = new ArrayList<>();
    for (int i = 0; i < writers; i++) {
      LatencyRecorder recorder = histogram.newRecorder(Integer.toString(i));
      writes.add(threads.submit(() -> recordEach(recorder, each)));
    }
    for (int i = 0; i < 2; i++) {
      scrapes.add(threads.submit(() -> scrapeWhile(writing)));
    }
    for (Future<?> write : writes) {
      write.get(60, TimeUnit.SECONDS);
    }
    writing.set(false);
    for (Future<?> scrape : scrapes) {
      scrape.get(60, TimeUnit.SECONDS);
    }
    threads.shutdown();

    assertThat(histogram.count()).isEqualTo(2L * writers * each);
    assertThat(histogram.sumSeconds()).isEqualTo(2.0 * writers * sumTo(each) / 1e6);
    assertQuantiles(each / 1e6);
  }

  private static void recordEach(LatencyRecorder recorder, int highest) {
    for (int micros = 1; micros <= highest; micros++) {
      recorder.record(micros, 2);
    }
  }

  private void scrapeWhile(AtomicBoolean writing) {
    long last = 0;
    while (writing.get()) {
      long count = histogram.count();
      assertThat(count).isGreaterThanOrEqualTo(last);
      last = count;
    }
  }

  private static double sumTo(long n) {
    return n * (n + 1) / 2.0;
  }

  /** Uniformly distributed latencies have exact quantiles despite the buckets. */
  private void assertQuantiles(double top) {
    for (double quantile : new double[] {0.5, 0.95, 0.99, 0.999}) {
      assertThat(histogram.quantileSeconds(quantile))
          .as("quantile %s", quantile)
          .isCloseTo(top * quantile, withinPercentage(1));
    }
  }

  private ClassicHistogramBuckets buckets() {
    return ((HistogramSnapshot) histogram.collect().get(0))
        .getDataPoints()
        .get(0)
        .getClassicBuckets();
  }

  private Map<Labels, Double> maxima() {
    return ((GaugeSnapshot) histogram.collect().get(1))
        .getDataPoints().stream()
            .collect(
                Collectors.toMap(DataPointSnapshot::getLabels, GaugeDataPointSnapshot::getValue));
  }

  private void pass(int buckets) {
    clock.addAndGet(buckets * LatencyHistogram.SLOT_NS);
  }
}
