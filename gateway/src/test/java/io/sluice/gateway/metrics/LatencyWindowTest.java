package io.sluice.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LatencyWindowTest {
  private final AtomicLong clock = new AtomicLong(-3 * LatencyWindow.BUCKET_NS);
  private final LatencyWindow window = new LatencyWindow(clock::get);

  @Test
  void shouldHaveNoQuantilesWhileEmpty() {
    window.newRecorder("");

    LatencySnapshot snapshot = window.snapshot();
    assertThat(snapshot.count()).isZero();
    assertThat(snapshot.sumSeconds()).isZero();
    assertThat(snapshot.quantileSeconds()).containsOnly(Double.NaN);
    assertThat(snapshot.overallMaxSeconds()).isZero();
  }

  @Test
  void shouldMergeAllLoops() {
    LatencyRecorder first = window.newRecorder("");
    LatencyRecorder second = window.newRecorder("");
    for (int millis = 1; millis <= 1000; millis++) {
      (millis % 2 == 0 ? first : second).record(millis * 1000L, 10);
    }

    LatencySnapshot snapshot = window.snapshot();
    assertThat(snapshot.count()).isEqualTo(10_000);
    assertThat(snapshot.sumSeconds()).isEqualTo(5005.0);
    assertQuantiles(snapshot, 0.5, 0.95, 0.99, 0.999);
    assertThat(snapshot.maxSeconds()).containsOnlyKeys("");
    assertThat(snapshot.overallMaxSeconds()).isCloseTo(1.0, withinPercentage(1));
  }

  @Test
  void shouldTellLoopsApartByName() {
    window.newRecorder("0").record(1_000, 1);
    window.newRecorder("1").record(2_000_000, 1);

    LatencySnapshot snapshot = window.snapshot();
    assertThat(snapshot.maxSeconds()).containsOnlyKeys("0", "1");
    assertThat(snapshot.maxSeconds().get("0")).isCloseTo(0.001, withinPercentage(1));
    assertThat(snapshot.maxSeconds().get("1")).isCloseTo(2.0, withinPercentage(1));
  }

  @Test
  void shouldShowTheSameToEveryScraper() {
    window.newRecorder("").record(5_000, 3);

    assertThat(window.snapshot()).isEqualTo(window.snapshot());
  }

  @Test
  void shouldForgetWhatIsOlderThanTheWindow() {
    LatencyRecorder recorder = window.newRecorder("");
    recorder.record(1_000_000, 1);
    window.collect();
    pass(LatencyWindow.BUCKETS - 1);
    recorder.record(1_000, 1);
    assertThat(window.snapshot().overallMaxSeconds()).isCloseTo(1.0, withinPercentage(1));

    pass(1);

    LatencySnapshot snapshot = window.snapshot();
    assertThat(snapshot.overallMaxSeconds()).isCloseTo(0.001, withinPercentage(1));
    assertThat(snapshot.quantileSeconds().get(3)).isCloseTo(0.001, withinPercentage(1));
    assertThat(snapshot.count()).isEqualTo(2);
    assertThat(snapshot.sumSeconds()).isEqualTo(1.001);
  }

  @Test
  void shouldBeEmptyAfterALongPause() {
    window.newRecorder("").record(1_000_000, 1);
    window.collect();

    pass(1_000_000);

    assertThat(window.snapshot().quantileSeconds()).containsOnly(Double.NaN);
    assertThat(window.snapshot().overallMaxSeconds()).isZero();
  }

  @Test
  void shouldRefuseMoreRecordersThanItCanHold() {
    for (int i = 0; i < 4096; i++) {
      window.newRecorder("");
      if (i % 64 == 0) {
        window.collect();
      }
    }

    assertThatThrownBy(() -> window.newRecorder("")).hasMessageContaining("4096");
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
      LatencyRecorder recorder = window.newRecorder(Integer.toString(i));
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

    LatencySnapshot snapshot = window.snapshot();
    assertThat(snapshot.count()).isEqualTo(2L * writers * each);
    assertThat(snapshot.sumSeconds()).isEqualTo(2.0 * writers * sumTo(each) / 1e6);
    double top = each / 1e6;
    assertQuantiles(snapshot, top * 0.5, top * 0.95, top * 0.99, top * 0.999);
  }

  private static void recordEach(LatencyRecorder recorder, int highest) {
    for (int micros = 1; micros <= highest; micros++) {
      recorder.record(micros, 2);
    }
  }

  private void scrapeWhile(AtomicBoolean writing) {
    long last = 0;
    while (writing.get()) {
      long count = window.snapshot().count();
      assertThat(count).isGreaterThanOrEqualTo(last);
      last = count;
    }
  }

  private static double sumTo(long n) {
    return n * (n + 1) / 2.0;
  }

  private static void assertQuantiles(LatencySnapshot snapshot, double... expected) {
    for (int i = 0; i < expected.length; i++) {
      assertThat(snapshot.quantileSeconds().get(i)).isCloseTo(expected[i], withinPercentage(1));
    }
  }

  private void pass(int buckets) {
    clock.addAndGet(buckets * LatencyWindow.BUCKET_NS);
  }
}
