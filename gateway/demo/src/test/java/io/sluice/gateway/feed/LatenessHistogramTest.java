package io.sluice.gateway.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LatenessHistogramTest {
  private final LatenessHistogram histogram = new LatenessHistogram();

  @Test
  void shouldReturnZerosWithoutDelays() {
    assertThat(histogram.lateness()).isEqualTo(new Lateness(0, 0, 0, 0, 0));
  }

  @Test
  void shouldReturnSmallDelaysExactly() {
    for (int ns = 1; ns <= 60; ns++) {
      histogram.record(ns);
    }
    assertThat(histogram.lateness()).isEqualTo(new Lateness(30.5, 30, 60, 60, 60));
  }

  @Test
  void shouldMatchHdrHistogramWithinItsError() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    Histogram exact = new Histogram(5);
    for (int i = 0; i < 100_000; i++) {
      long ns = (long) Math.exp(random.nextDouble() * 27);
      histogram.record(ns);
      exact.recordValue(ns);
    }
    Lateness lateness = histogram.lateness();
    assertClose(lateness.p50(), exact.getValueAtPercentile(50));
    assertClose(lateness.p99(), exact.getValueAtPercentile(99));
    assertClose(lateness.p999(), exact.getValueAtPercentile(99.9));
    assertThat(lateness.max()).isCloseTo(exact.getMaxValue(), within(exact.getMaxValue() / 10_000));
  }

  @Test
  void shouldAcceptTheLargestDelay() {
    histogram.record(Long.MAX_VALUE);
    assertThat(histogram.lateness().p50()).isEqualTo(Long.MAX_VALUE);
    histogram.reset();
    assertThat(histogram.lateness().max()).isZero();
  }

  private static void assertClose(long value, long exact) {
    assertThat(value).isCloseTo(exact, within(exact / 32 + 1));
  }
}
