package io.sluice.gateway.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

final class SequenceTest {
  private final Sequence sequence = new Sequence("a.*", 10);

  @Test
  void shouldAcceptAnyFirstNumberOfEachTopic() {
    sequence.onMessage("a.1", 11, 5);
    sequence.onMessage("a.2", 12, 1);
    sequence.onMessage("a.1", 13, 6);
    assertThat(sequence.last("a.1")).isEqualTo(6);
    assertThat(sequence.last("a.3")).isZero();
  }

  @Test
  void shouldReportMissingNumber() {
    sequence.onMessage("a.1", 11, 5);
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> sequence.onMessage("a.1", 12, 7))
        .withMessageContaining("subscription a.*, topic a.1: number 7 follows 5");
  }

  @Test
  void shouldReportMissingOffset() {
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> sequence.onMessage("a.1", 12, 1))
        .withMessageContaining("offset 12 follows 10");
  }

  @Test
  void shouldPermitOneHoleInEachTopicAfterGap() {
    sequence.onMessage("a.1", 11, 5);
    sequence.onMessage("a.2", 12, 8);
    sequence.onGap();
    sequence.onMessage("a.1", 20, 9);
    sequence.onMessage("a.2", 21, 12);
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> sequence.onMessage("a.2", 22, 14));
  }

  @Test
  void shouldReportDuplicateEvenAfterGap() {
    sequence.onMessage("a.1", 11, 5);
    sequence.onGap();
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> sequence.onMessage("a.1", 12, 5));
  }
}
