package io.sluice.loadtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArrivalScheduleTest {
  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  void shouldScheduleSimultaneousArrivals() {
    List<TransientClient> clients =
        all(ArrivalSchedule.together(3, Duration.ofSeconds(5), Duration.ofSeconds(9)));

    assertThat(clients)
        .hasSize(3)
        .allMatch(v -> v.at().toSeconds() == 5 && v.stay().toSeconds() == 9);
  }

  @Test
  void shouldScheduleArrivalsAtMeanRateInOrder() {
    List<TransientClient> clients = all(ArrivalSchedule.random(10, HOUR, Duration.ofSeconds(4), 7));

    // Four standard deviations of a Poisson process; the seed is fixed.
    assertThat((double) clients.size()).isCloseTo(36_000, within(4 * Math.sqrt(36_000)));
    assertThat(clients).isSortedAccordingTo((a, b) -> a.at().compareTo(b.at()));
    assertThat(clients).allMatch(v -> v.at().plus(v.stay()).compareTo(HOUR.plusMillis(1)) <= 0);
    assertThat(clients.stream().mapToLong(v -> v.stay().toMillis()).average().orElseThrow())
        .isCloseTo(4000, within(50.0));
  }

  @Test
  void shouldDependOnlyOnSeed() {
    Duration stay = Duration.ofSeconds(4);

    assertThat(all(ArrivalSchedule.random(10, HOUR, stay, 7)))
        .isEqualTo(all(ArrivalSchedule.random(10, HOUR, stay, 7)))
        .isNotEqualTo(all(ArrivalSchedule.random(10, HOUR, stay, 8)));
  }

  @Test
  void shouldCountTakenClients() {
    ArrivalSchedule clients = ArrivalSchedule.together(2, Duration.ZERO, Duration.ZERO);
    assertThat(clients.taken()).isZero();

    all(clients);

    assertThat(clients.taken()).isEqualTo(2);
  }

  private static List<TransientClient> all(ArrivalSchedule clients) {
    List<TransientClient> all = new ArrayList<>();
    for (TransientClient client = clients.next(); client != null; client = clients.next()) {
      all.add(client);
    }
    return all;
  }
}
