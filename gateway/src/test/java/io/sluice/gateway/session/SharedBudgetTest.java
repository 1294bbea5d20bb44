package io.sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class SharedBudgetTest {
  private static final long SECOND = 1_000_000_000L;

  private final SharedBudget budget = new SharedBudget(10, 0);

  private int taken(int tries, long nowNs) {
    int taken = 0;
    for (int i = 0; i < tries; i++) {
      taken += budget.take(1, nowNs) ? 1 : 0;
    }
    return taken;
  }

  @Test
  void shouldAllowOneSecondsWorthAtOnceAndThenTheRate() {
    assertThat(taken(20, 0)).isEqualTo(10);
    assertThat(taken(20, SECOND / 10)).isEqualTo(1);
    assertThat(taken(20, SECOND / 2)).isEqualTo(4);
    assertThat(taken(20, 100 * SECOND)).isEqualTo(10);
  }

  @Test
  void shouldTellWhetherThereIsEnoughWithoutTakingIt() {
    assertThat(budget.has(11, 0)).isFalse();
    assertThat(budget.has(10, 0) && budget.has(10, 0)).isTrue();
    assertThat(budget.take(10, 0)).isTrue();
    assertThat(budget.has(1, 0)).isFalse();
    assertThat(budget.has(1, SECOND / 10)).isTrue();
  }

  @Test
  void shouldTakeAllOrNothing() {
    assertThat(budget.take(11, 0)).isFalse();
    assertThat(budget.take(10, 0)).isTrue();
    assertThat(budget.take(1, 0)).isFalse();
  }

  @Test
  void shouldKnowWhenItIsFull() {
    assertThat(budget.isFull(0)).isTrue();
    budget.take(1, 0);
    assertThat(budget.isFull(SECOND / 20)).isFalse();
    assertThat(budget.isFull(SECOND / 10)).isTrue();
  }

  @Test
  void shouldGiveManyThreadsTogetherNoMore() {
    SharedBudget many = new SharedBudget(10_000, 0);
    AtomicInteger taken = new AtomicInteger();
    List<CompletableFuture<?>> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      threads.add(
          CompletableFuture.runAsync(
              () -> {
                for (int n = 0; n < 10_000; n++) {
                  taken.addAndGet(many.take(1, 0) ? 1 : 0);
                }
              }));
    }
    threads.forEach(CompletableFuture::join);
    assertThat(taken).hasValue(10_000);
  }
}
