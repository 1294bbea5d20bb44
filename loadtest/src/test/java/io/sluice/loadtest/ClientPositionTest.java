package io.sluice.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClientPositionTest {
  private static final Duration SPREAD = Duration.ofSeconds(5);

  @Test
  void shouldDistributeMeasuredClientsRandomly() {
    List<Duration> delays = ClientPosition.RANDOM.delays(1000, SPREAD, 1);

    assertThat(delays).allMatch(delay -> delay.compareTo(SPREAD) < 0 && !delay.isNegative());
    assertThat(delays).isEqualTo(ClientPosition.RANDOM.delays(1000, SPREAD, 1));
    assertThat(delays).isNotEqualTo(ClientPosition.RANDOM.delays(1000, SPREAD, 2));
    for (int fifth = 1; fifth <= 5; fifth++) {
      Duration from = Duration.ofSeconds(fifth - 1);
      Duration to = Duration.ofSeconds(fifth);
      assertThat(delays)
          .filteredOn(delay -> delay.compareTo(from) >= 0 && delay.compareTo(to) < 0)
          .hasSizeBetween(150, 250);
    }
  }

  @Test
  void shouldConnectEvenlyBeforeOrAfterTheOthers() {
    List<Duration> delays = ClientPosition.of("last").delays(5, SPREAD, 1);

    assertThat(delays).isEqualTo(ClientPosition.of("first").delays(5, SPREAD, 2));
    assertThat(delays)
        .containsExactly(
            Duration.ZERO,
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(3),
            Duration.ofSeconds(4))
        .isSortedAccordingTo(Comparator.naturalOrder());
  }

  @Test
  void shouldConnectAtOnceWithoutRamp() {
    assertThat(ClientPosition.RANDOM.delays(3, Duration.ZERO, 1)).containsOnly(Duration.ZERO);
  }
}
