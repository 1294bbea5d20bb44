package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class CanaryTest {
  private static final long INTERVAL_MS = 100;

  private long nowMs = -1_000; // nanoTime may well be below zero
  private final long[] arrivalNs = {Long.MIN_VALUE / 2, Long.MIN_VALUE / 2};
  private final Canary.Rounds rounds =
      new Canary.Rounds(2, INTERVAL_MS, () -> TimeUnit.MILLISECONDS.toNanos(nowMs));

  @Test
  void shouldCompleteARoundWhenAllOfItsCanariesHaveReturned() {
    rounds.begin(7, 5_000);

    assertThat(rounds.onReturned(1, 7, 101)).isNull();
    assertThat(rounds.onReturned(1, 7, 101)).as("the same again").isNull();
    assertThat(rounds.onReturned(0, 7, 100)).isEqualTo(new Canary.Returned(7, 5_000, 100));
    assertThat(rounds.onReturned(0, 7, 100)).as("proven once").isNull();
  }

  @Test
  void shouldNotMixRounds() {
    rounds.begin(1, 5_000);
    rounds.begin(2, 5_100);

    assertThat(rounds.onReturned(0, 1, 100)).isNull();
    assertThat(rounds.onReturned(1, 2, 101)).isNull();
    assertThat(rounds.onReturned(0, 2, 100)).isEqualTo(new Canary.Returned(2, 5_100, 100));
    assertThat(rounds.onReturned(1, 1, 101)).as("proves less").isNull();
  }

  @Test
  void shouldIgnoreUnknownCanaries() {
    rounds.begin(2, 5_000);
    rounds.clear();
    rounds.begin(3, 5_100);
    for (int link = 0; link < 2; link++) {
      assertThat(rounds.onReturned(link, 1, 100 + link)).isNull();
      assertThat(rounds.onReturned(link, 2, 100 + link)).isNull();
      assertThat(rounds.onReturned(link, 4, 100 + link)).isNull();
    }
  }

  @Test
  void shouldMeasureIdleTimeFromTheLatestCompleteRound() {
    rounds.begin(1, 5_000);
    nowMs += 30;
    assertThat(rounds.idleMs(link -> arrivalNs[link])).isEqualTo(30);
    rounds.onReturned(0, 1, 100);
    assertThat(rounds.idleMs(link -> arrivalNs[link]))
        .as("one link alone is not enough")
        .isEqualTo(30);
    rounds.onReturned(1, 1, 101);
    assertThat(rounds.idleMs(link -> arrivalNs[link])).isZero();

    nowMs += INTERVAL_MS;
    assertThat(rounds.idleMs(link -> arrivalNs[link])).as("no round is outstanding").isZero();
    rounds.begin(2, 5_130);
    assertThat(rounds.idleMs(link -> arrivalNs[link])).isEqualTo(INTERVAL_MS);
    rounds.begin(3, 5_230);
    nowMs += 10;
    rounds.onReturned(0, 3, 100);
    assertThat(rounds.idleMs(link -> arrivalNs[link])).isEqualTo(INTERVAL_MS + 10);
  }

  @Test
  void shouldNotCountAPauseOfTheProcessAsIdleTime() {
    rounds.begin(1, 5_000);
    rounds.onReturned(0, 1, 100);
    rounds.onReturned(1, 1, 101);
    nowMs += 3_600_000;
    rounds.begin(2, 3_605_000);

    assertThat(rounds.idleMs(link -> arrivalNs[link])).isEqualTo(INTERVAL_MS);
  }

  @Test
  void shouldNotCountALinkAsIdleOverWhichMessagesArrive() {
    rounds.begin(1, 5_000);
    nowMs += 10_000;
    arrivalNs[0] = TimeUnit.MILLISECONDS.toNanos(nowMs - 5);
    arrivalNs[1] = TimeUnit.MILLISECONDS.toNanos(nowMs - 20);
    assertThat(rounds.idleMs(link -> arrivalNs[link])).isEqualTo(20);

    rounds.onReturned(1, 1, 100);
    assertThat(rounds.idleMs(link -> arrivalNs[link])).isEqualTo(5);
  }

  @Test
  void shouldMeasureIdleTimeAcrossRemovedRounds() {
    for (int number = 0; number < 1_000; number++) {
      rounds.begin(number, number);
      nowMs += INTERVAL_MS;
    }
    rounds.onReturned(0, 0, 100);

    assertThat(rounds.onReturned(1, 0, 101)).as("given up").isNull();
    assertThat(rounds.idleMs(link -> arrivalNs[link])).isEqualTo(1_000 * INTERVAL_MS);
  }
}
