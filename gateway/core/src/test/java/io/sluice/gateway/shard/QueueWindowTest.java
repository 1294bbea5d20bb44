package io.sluice.gateway.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class QueueWindowTest {
  private static final int BATCH = 1_000;
  private static final int PAYLOAD = BATCH / 2;
  private static final int MESSAGES = 200_000;

  private final QueueWindow window = new QueueWindow(BATCH);
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
