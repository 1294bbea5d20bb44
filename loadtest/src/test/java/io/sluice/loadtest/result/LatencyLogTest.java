package io.sluice.loadtest.result;

import static org.assertj.core.api.Assertions.assertThat;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LatencyLogTest {
  private final LatencyLog log = new LatencyLog();

  @Test
  void shouldSumSelectedSeconds() {
    log.record(0, 900);
    log.record(3, 100);
    log.record(3, 200);
    log.record(4, 300);
    log.record(5, 400);

    Histogram sum = log.between(3, 5);

    assertThat(sum.getTotalCount()).isEqualTo(3);
    assertThat(sum.getMean()).isEqualTo(200);
    assertThat(log.between(0, 6).getTotalCount()).isEqualTo(5);
    assertThat(log.between(6, 9).getTotalCount()).isZero();
  }

  @Test
  void shouldRecordLongLatenciesWithThreeDigits() {
    log.record(0, 3_600_000_000L);
    log.record(1, 1);

    assertThat(log.between(0, 1).getMaxValue() / 3.6e9).isBetween(0.999, 1.001);
  }

  @Test
  void shouldCountNegativeLatencies() {
    log.record(0, -70);
    log.record(1, 5);

    assertThat(log.early()).isEqualTo(1);
    assertThat(log.leastMicros()).isEqualTo(-70);
    assertThat(log.between(0, 2).getMinValue()).isZero();
  }
}
