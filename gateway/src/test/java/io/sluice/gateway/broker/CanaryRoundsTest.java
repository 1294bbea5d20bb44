package io.sluice.gateway.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class CanaryRoundsTest {
  private static final long INTERVAL_MS = 100;

  private long nowMs = -1_000; // nanoTime may well be below zero
  private final CanaryRounds rounds =
      new CanaryRounds(2, INTERVAL_MS, () -> TimeUnit.MILLISECONDS.toNanos(nowMs));

  @Test
  void shouldProveARoundWhenAllOfItsCanariesAreBack() {
    rounds.begin(7, 5_000);

    assertThat(rounds.onReturned(1, 7)).isEqualTo(CanaryRounds.INCOMPLETE);
    assertThat(rounds.onReturned(1, 7)).as("the same again").isEqualTo(CanaryRounds.INCOMPLETE);
    assertThat(rounds.onReturned(0, 7)).isEqualTo(5_000);
    assertThat(rounds.onReturned(0, 7)).as("proven once").isEqualTo(CanaryRounds.INCOMPLETE);
  }

  @Test
  void shouldNotMixRounds() {
    rounds.begin(1, 5_000);
    rounds.begin(2, 5_100);

    assertThat(rounds.onReturned(0, 1)).isEqualTo(CanaryRounds.INCOMPLETE);
    assertThat(rounds.onReturned(1, 2)).isEqualTo(CanaryRounds.INCOMPLETE);
    assertThat(rounds.onReturned(0, 2)).isEqualTo(5_100);
    assertThat(rounds.onReturned(1, 1)).as("proves less").isEqualTo(CanaryRounds.INCOMPLETE);
  }

  @Test
  void shouldTakeNoCanaryThatItDoesNotKnow() {
    rounds.begin(2, 5_000);
    rounds.clear();
    rounds.begin(3, 5_100);
    for (int link = 0; link < 2; link++) {
      assertThat(rounds.onReturned(link, 1)).isEqualTo(CanaryRounds.INCOMPLETE);
      assertThat(rounds.onReturned(link, 2)).isEqualTo(CanaryRounds.INCOMPLETE);
      assertThat(rounds.onReturned(link, 4)).isEqualTo(CanaryRounds.INCOMPLETE);
    }
  }

  @Test
  void shouldBeSilentSinceTheLastRoundThatCameBack() {
    rounds.begin(1, 5_000);
    nowMs += 30;
    assertThat(rounds.silentMs()).isEqualTo(30);
    rounds.onReturned(0, 1);
    assertThat(rounds.silentMs()).as("one link alone is not enough").isEqualTo(30);
    rounds.onReturned(1, 1);
    assertThat(rounds.silentMs()).isZero();

    nowMs += INTERVAL_MS;
    assertThat(rounds.silentMs()).as("nothing is on its way").isZero();
    rounds.begin(2, 5_130);
    assertThat(rounds.silentMs()).isEqualTo(INTERVAL_MS);
    rounds.begin(3, 5_230);
    nowMs += 10;
    rounds.onReturned(0, 3);
    assertThat(rounds.silentMs()).isEqualTo(INTERVAL_MS + 10);
  }

  @Test
  void shouldNotTakeItsOwnPauseForTheBrokersSilence() {
    rounds.begin(1, 5_000);
    rounds.onReturned(0, 1);
    rounds.onReturned(1, 1);
    nowMs += 3_600_000;
    rounds.begin(2, 3_605_000);

    assertThat(rounds.silentMs()).isEqualTo(INTERVAL_MS);
  }

  @Test
  void shouldWaitForABoundedNumberAndYetKnowHowLong() {
    for (int number = 0; number < 1_000; number++) {
      rounds.begin(number, number);
      nowMs += INTERVAL_MS;
    }
    rounds.onReturned(0, 0);

    assertThat(rounds.onReturned(1, 0)).as("given up").isEqualTo(CanaryRounds.INCOMPLETE);
    assertThat(rounds.silentMs()).isEqualTo(1_000 * INTERVAL_MS);
  }
}
