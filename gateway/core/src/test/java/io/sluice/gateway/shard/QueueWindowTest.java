package io.sluice.gateway.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class QueueWindowTest {
  private static final int BATCH = 1_000;
  private static final int PAYLOAD = BATCH / 2;
  private static final int MESSAGES = 200_000;
  private static final int HOT_TOPICS = 100;

  private final QueueWindow.Budget budget = new QueueWindow.Budget(BATCH);
  private final QueueWindow window = new QueueWindow(budget);
  private int runs;

  @Test
  void shouldRunTheTaskOnceWhenHalfIsFree() {
    assertThat(window.whenReady(() -> runs++)).isFalse();
    while (!window.isFull()) {
      window.added(PAYLOAD);
    }
    assertThat(window.whenReady(() -> runs++)).isTrue();
    window.removed(PAYLOAD);
    assertThat(window.isFull()).isFalse();
    assertThat(runs).as("at three quarters").isZero();
    window.removed(PAYLOAD);
    window.removed(PAYLOAD);
    window.removed(PAYLOAD);
    assertThat(runs).isEqualTo(1);
  }

  @Test
  void shouldRunTheTaskOfAFormerInterest() {
    window.added(3 * BATCH);
    assertThat(window.whenReady(() -> runs++)).isTrue();
    assertThat(window.whenReady(() -> runs += 10)).isTrue();
    assertThat(runs).isEqualTo(1);
    window.removed(3 * BATCH);
    assertThat(runs).isEqualTo(11);
  }

  @Test
  void shouldShareTheBudgetOfManyHotTopics() {
    int alone = fill(window);
    int queued = alone;
    Map<QueueWindow, Integer> windows = new LinkedHashMap<>(Map.of(window, alone));
    while (windows.size() < HOT_TOPICS) {
      QueueWindow hot = new QueueWindow(budget);
      int added = fill(hot);
      windows.put(hot, added);
      queued += added;
    }
    assertThat(queued).isLessThan(HOT_TOPICS + QueueWindow.BUDGET_BATCHES * BATCH / PAYLOAD);

    windows.forEach(
        (hot, added) -> {
          int expected = runs + (hot.whenReady(() -> runs++) ? 1 : 0);
          for (int i = 0; i < added; i++) {
            hot.removed(PAYLOAD);
          }
          assertThat(runs).isEqualTo(expected);
        });
    assertThat(fill(new QueueWindow(budget))).as("messages of one hot topic").isEqualTo(alone);
  }

  private static int fill(QueueWindow hot) {
    int added = 0;
    while (!hot.isFull()) {
      hot.added(PAYLOAD);
      added++;
    }
    return added;
  }

  @Timeout(60)
  @Test
  void shouldNeverForgetAWaitingTask() throws InterruptedException {
    AtomicInteger queued = new AtomicInteger();
    Thread loop =
        new Thread(
            () -> {
              for (int taken = 0; taken < MESSAGES; ) {
                if (queued.get() > taken) {
                  window.removed(PAYLOAD);
                  taken++;
                }
              }
            });
    loop.setDaemon(true);
    loop.start();
    Semaphore ready = new Semaphore(0);
    for (int i = 0; i < MESSAGES; i++) {
      window.added(PAYLOAD);
      queued.incrementAndGet();
      if (window.isFull() && window.whenReady(ready::release)) {
        ready.acquire();
      }
    }
    loop.join();
    assertThat(ready.availablePermits()).isZero();
  }
}
