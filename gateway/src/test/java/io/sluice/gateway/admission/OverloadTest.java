package io.sluice.gateway.admission;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class OverloadTest {
  private final Overload overload = new Overload(100);

  private void ticks(int count, long lateNs) {
    for (int i = 0; i < count; i++) {
      overload.onTick(lateNs);
    }
  }

  @Test
  void shouldBeginAfterSeveralLateTicksInARow() {
    ticks(Overload.TICKS_TO_BEGIN - 1, 101);
    ticks(1, 100);
    ticks(Overload.TICKS_TO_BEGIN - 1, 101);
    assertThat(overload.isOver()).isFalse();
    assertThat(overload.onTick(101)).isTrue();
    assertThat(overload.isOver()).isTrue();
  }

  @Test
  void shouldEndAfterMoreTicksWellInTime() {
    ticks(Overload.TICKS_TO_BEGIN, 101);
    ticks(100, 50);
    ticks(Overload.TICKS_TO_END - 1, 49);
    assertThat(overload.isOver()).isTrue();
    assertThat(overload.onTick(49)).isTrue();
    assertThat(overload.isOver()).isFalse();
  }

  @Test
  void shouldNeverBeginWithoutALimit() {
    Overload off = new Overload(0);
    for (int i = 0; i < 100; i++) {
      assertThat(off.onTick(Long.MAX_VALUE)).isFalse();
    }
  }
}
