package io.sluice.gateway.drain;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class DrainPaceTest {
  private static final int RATE = 100;
  private static final long TICK_MS = 20;

  private int left = 250;
  private int before;
  private final DrainPace shared = DrainPace.shared(RATE, () -> before);

  private int pass(long ms) {
    int atFirst = left;
    for (long passed = 0; passed < ms && left > 0; passed += TICK_MS) {
      left -= shared.clients(left, TICK_MS, 0);
    }
    return atFirst - left;
  }

  @Test
  void shouldNotAccumulatePermitsWithoutClients() {
    DrainPace pace = DrainPace.of(10);
    assertThat(pace.clients(1, 60_000, 0)).isEqualTo(1);
    assertThat(pace.clients(1_000, 100, 0)).isEqualTo(2);
  }

  @Test
  void shouldPermitNoClientBeforeOtherNodesKnowOfTheDrain() {
    assertThat(pass(DrainPace.INTERVAL_MS)).isZero();
  }

  @Test
  void shouldSpreadTheRateOverEachSecond() {
    pass(DrainPace.INTERVAL_MS);

    assertThat(pass(DrainPace.INTERVAL_MS / 2)).isBetween(RATE / 2 - 2, RATE / 2);
    assertThat(pass(DrainPace.INTERVAL_MS / 2)).isBetween(RATE / 2 - 2, RATE / 2 + 2);
    pass(DrainPace.INTERVAL_MS);
    assertThat(left).isBetween(50, 54);
    assertThat(pass(DrainPace.INTERVAL_MS / 2)).isBetween(23, 27);
    pass(DrainPace.INTERVAL_MS / 2);
    assertThat(left).isZero();
  }

  @Test
  void shouldUseTheRestOfTheRateOfNodesBefore() {
    before = 160;
    pass(DrainPace.INTERVAL_MS);
    assertThat(pass(DrainPace.INTERVAL_MS)).isZero();
    before = 60;
    pass(DrainPace.INTERVAL_MS);

    assertThat(pass(DrainPace.INTERVAL_MS)).isBetween(39, 40);
    before = 0;
    pass(DrainPace.INTERVAL_MS);
    assertThat(pass(DrainPace.INTERVAL_MS)).isBetween(99, 101);
  }

  @Test
  void shouldPermitNoMoreClientsThanConnected() {
    pass(DrainPace.INTERVAL_MS + TICK_MS);
    left = 3;

    assertThat(pass(DrainPace.INTERVAL_MS)).isEqualTo(3);
  }

  @Test
  void shouldIncludeOtherNodesAndTheEmptyIntervalInTheForecast() {
    before = 50;
    assertThat(shared.forecastMs(left)).isEqualTo(1_000 + 3_000);
    assertThat(DrainPace.of(RATE).forecastMs(left)).isEqualTo(2_500);
    assertThat(DrainPace.of(0).forecastMs(left)).as("even").isZero();
  }
}
