package io.sluice.loadtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class VisitsTest {
  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  void shouldBringAllAtOneMoment() {
    List<Visit> visits = all(Visits.together(3, Duration.ofSeconds(5), Duration.ofSeconds(9)));

    assertThat(visits)
        .hasSize(3)
        .allMatch(v -> v.at().toSeconds() == 5 && v.stay().toSeconds() == 9);
  }

  @Test
  void shouldBringSoManyASecondOnAverageInTheOrderOfTime() {
    List<Visit> visits = all(Visits.random(10, HOUR, Duration.ofSeconds(4), 7));

    // Four standard deviations of a Poisson process; the seed is fixed.
    assertThat((double) visits.size()).isCloseTo(36_000, within(4 * Math.sqrt(36_000)));
    assertThat(visits).isSortedAccordingTo((a, b) -> a.at().compareTo(b.at()));
    assertThat(visits).allMatch(v -> v.at().plus(v.stay()).compareTo(HOUR.plusMillis(1)) <= 0);
    assertThat(visits.stream().mapToLong(v -> v.stay().toMillis()).average().orElseThrow())
        .isCloseTo(4000, within(50.0));
  }

  @Test
  void shouldBeTheSameWithTheSameSeedAndAnotherWithAnother() {
    Duration stay = Duration.ofSeconds(4);

    assertThat(all(Visits.random(10, HOUR, stay, 7)))
        .isEqualTo(all(Visits.random(10, HOUR, stay, 7)))
        .isNotEqualTo(all(Visits.random(10, HOUR, stay, 8)));
  }

  @Test
  void shouldCountThoseThatWereTaken() {
    Visits visits = Visits.together(2, Duration.ZERO, Duration.ZERO);
    assertThat(visits.taken()).isZero();

    all(visits);

    assertThat(visits.taken()).isEqualTo(2);
  }

  private static List<Visit> all(Visits visits) {
    List<Visit> all = new ArrayList<>();
    for (Visit visit = visits.next(); visit != null; visit = visits.next()) {
      all.add(visit);
    }
    return all;
  }
}
