package io.sluice.gateway.admission;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class OverloadDetectorTest {
  private final OverloadDetector overload = new OverloadDetector(100);

  private void ticks(int count, long lateNs) {
    for (int i = 0; i < count; i++) {
      overload.onTick(lateNs);
    }
  }

  @Test
  void shouldBeginAfterSeveralLateTicksInARow() {
    ticks(OverloadDetector.TICKS_TO_BEGIN - 1, 101);
    ticks(1, 100);
    ticks(OverloadDetector.TICKS_TO_BEGIN - 1, 101);
    assertThat(overload.isOverloaded()).isFalse();
    assertThat(overload.onTick(101)).isTrue();
    assertThat(overload.isOverloaded()).isTrue();
  }

  @Test
  void shouldEndAfterMoreTicksWellInTime() {
    ticks(OverloadDetector.TICKS_TO_BEGIN, 101);
    ticks(100, 50);
    ticks(OverloadDetector.TICKS_TO_END - 1, 49);
    assertThat(overload.isOverloaded()).isTrue();
    assertThat(overload.onTick(49)).isTrue();
    assertThat(overload.isOverloaded()).isFalse();
  }

  @Test
  void shouldNeverBeginWithoutALimit() {
    OverloadDetector off = new OverloadDetector(0);
    for (int i = 0; i < 100; i++) {
      assertThat(off.onTick(Long.MAX_VALUE)).isFalse();
    }
  }
}
