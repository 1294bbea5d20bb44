package io.sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class RateBudgetTest {
  private static final long SECOND = 1_000_000_000L;

  private final RateBudget budget = new RateBudget(10, 5, 0);

  @Test
  void shouldAllowABurstAndThenTheRate() {
    assertThat(taken(20, 0)).isEqualTo(5);
    assertThat(taken(20, SECOND / 10)).isEqualTo(1);
    assertThat(taken(20, SECOND / 2)).isEqualTo(4);
  }

  @Test
  void shouldSaveNoMoreThanABurst() {
    assertThat(taken(20, 100 * SECOND)).isEqualTo(5);
  }

  private int taken(int tries, long nowNs) {
    int taken = 0;
    for (int i = 0; i < tries; i++) {
      taken += budget.take(nowNs) ? 1 : 0;
    }
    return taken;
  }
}
