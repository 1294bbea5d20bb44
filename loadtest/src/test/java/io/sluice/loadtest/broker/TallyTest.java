package io.sluice.loadtest.broker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TallyTest {
  private final Tally tally = new Tally();

  @Test
  void shouldCountMissingNumbersAsLost() {
    tally.add(3, 0);
    tally.add(3, 2);

    assertThat(tally.lost(3, 4)).isEqualTo(2);
    assertThat(tally.repeated()).isZero();
  }

  @Test
  void shouldCountAllNumbersOfUnknownProducerAsLost() {
    assertThat(tally.lost(0, 5)).isEqualTo(5);
  }

  @Test
  void shouldCountDuplicatesSeparatelyFromLoss() {
    tally.add(0, 1);
    tally.add(0, 1);
    tally.add(0, 1);

    assertThat(tally.repeated()).isEqualTo(2);
    assertThat(tally.lost(0, 2)).isEqualTo(1);
  }

  @Test
  void shouldTrackNumbersPerProducer() {
    tally.add(0, 0);
    tally.add(1, 0);

    assertThat(tally.repeated()).isZero();
    assertThat(tally.lost(0, 1) + tally.lost(1, 1)).isZero();
  }

  @Test
  void shouldMergeTalliesOfAQueue() {
    Tally other = new Tally();
    tally.add(0, 0);
    other.add(0, 1);

    tally.merge(other);

    assertThat(tally.lost(0, 2)).isZero();
    assertThat(tally.repeated()).isZero();
  }

  @Test
  void shouldCountNumbersOfTwoQueueConsumersAsDuplicates() {
    Tally other = new Tally();
    tally.add(0, 0);
    tally.add(0, 0);
    other.add(0, 0);

    tally.merge(other);

    assertThat(tally.repeated()).isEqualTo(2);
  }
}
