package io.sluice.gateway.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
final class FairExecutorTest {
  private static final int THREADS = 4;
  private static final int WAITING = 20;

  private final FairExecutor executor = new FairExecutor(THREADS, WAITING, "fair-test");
  private final CountDownLatch blocked = new CountDownLatch(1);
  private final List<String> ran = new CopyOnWriteArrayList<>();

  @AfterEach
  void stop() {
    blocked.countDown();
    executor.stopNow();
  }

  private boolean block(String user) {
    return executor.execute(
        user,
        () -> {
          try {
            blocked.await();
            ran.add(user);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  private void run(String user) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    assertThat(executor.execute(user, done::countDown)).isTrue();
    assertThat(done.await(40, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void shouldRunTasksOfOthersWhileThoseOfAUserBlock() throws Exception {
    for (int i = 0; i < WAITING / 2; i++) {
      assertThat(block("a")).isTrue();
    }
    run("b");
    run("c");
    assertThat(ran).isEmpty();
  }

  @Test
  void shouldLimitTheShareOfAUser() {
    int accepted = 0;
    while (block("a")) {
      accepted++;
    }
    assertThat(accepted).isEqualTo(THREADS / 2 + WAITING / 2);
    assertThat(block("b")).isTrue();
  }

  @Test
  void shouldServeUsersInTurn() throws Exception {
    FairExecutor single = new FairExecutor(1, WAITING, "fair-test");
    CountDownLatch done = new CountDownLatch(4);
    assertThat(single.execute("a", this::await)).isTrue();
    for (String user : List.of("a", "a", "b", "a")) {
      single.execute(
          user,
          () -> {
            ran.add(user);
            done.countDown();
          });
    }
    blocked.countDown();
    assertThat(done.await(40, TimeUnit.SECONDS)).isTrue();
    assertThat(ran).containsExactly("a", "b", "a", "a");
    CountDownLatch last = new CountDownLatch(1);
    single.stop(last::countDown);
    assertThat(last.await(40, TimeUnit.SECONDS)).isTrue();
    assertThat(single.execute("a", () -> {})).isFalse();
  }

  private void await() {
    try {
      blocked.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
