package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.history.LogFigures;
import org.junit.jupiter.api.Test;

final class InterestRatesTest {
  private static LogFigures log(long messages, long bytes) {
    return new LogFigures(messages, bytes, 0, 0, 0, 0, 0);
  }

  @Test
  void shouldReturnTheRatesSinceTheEarlierOfTwoSamples() {
    InterestRates rates = new InterestRates(0);
    assertThat(rates.rates(1_000, log(10, 100))).isEqualTo(new InterestRates.Rates(10, 100));
    assertThat(rates.isDue(InterestRates.SAMPLE_MS - 1)).isFalse();
    assertThat(rates.isDue(InterestRates.SAMPLE_MS)).isTrue();
    rates.add(5_000, log(50, 500));
    assertThat(rates.rates(6_000, log(60, 600))).isEqualTo(new InterestRates.Rates(10, 100));
    rates.add(10_000, log(50, 500));
    assertThat(rates.rates(10_000, log(50, 500))).isEqualTo(new InterestRates.Rates(0, 0));
  }
}
