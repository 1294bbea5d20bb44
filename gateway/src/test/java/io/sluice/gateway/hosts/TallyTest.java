package io.sluice.gateway.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TallyTest {
  private final Tally tally = new Tally();

  private void receive(long... numbers) {
    for (long number : numbers) {
      tally.onMessage(number, number - 1);
    }
  }

  @Test
  void shouldCountNoFaultForConsecutiveMessages() {
    receive(7, 8, 9);
    assertThat(tally.lost() + tally.duplicates() + tally.gaps()).isZero();
    assertThat(tally.last()).isEqualTo(9);
    assertThat(tally.received()).isEqualTo(3);
  }

  @Test
  void shouldCountMissingMessagesWithoutGap() {
    receive(1, 4);
    assertThat(tally.lost()).isEqualTo(2);
  }

  @Test
  void shouldNotCountMessagesTheBrokerNeverAccepted() {
    tally.onMessage(1, 0);
    tally.onMessage(4, 1);
    assertThat(tally.lost()).isZero();
  }

  @Test
  void shouldCountDuplicates() {
    receive(1, 2, 3, 2, 4);
    assertThat(tally.duplicates()).isEqualTo(1);
    assertThat(tally.lost()).isZero();
  }

  @Test
  void shouldPermitOneHolePerGap() {
    receive(1);
    tally.onGap(false);
    receive(5, 8);
    assertThat(tally.gaps()).isEqualTo(1);
    assertThat(tally.lost()).isEqualTo(2);
  }

  @Test
  void shouldCountDuplicatesAfterGap() {
    receive(1, 2);
    tally.onGap(false);
    receive(2);
    assertThat(tally.duplicates()).isEqualTo(1);
  }

  @Test
  void shouldPermitRepetitionAfterRestartedSubscription() {
    receive(1, 2, 3);
    tally.onGap(true);
    receive(3, 4);
    assertThat(tally.duplicates() + tally.lost()).isZero();
  }
}
