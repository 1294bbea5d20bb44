package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.LoggedEvents;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class ControlThreadTest {
  @Test
  void shouldLogAFailureOfATaskAndRunItAgain() throws Exception {
    ControlThread control = new ControlThread();
    CountDownLatch rounds = new CountDownLatch(3);
    try (LoggedEvents logged = LoggedEvents.of(ControlThread.class)) {
      control.execute(
          () -> {
            throw new NoClassDefFoundError("gone");
          });
      control.scheduleWithFixedDelay(
          () -> {
            rounds.countDown();
            throw new IllegalStateException("a bug");
          },
          0,
          1,
          TimeUnit.MILLISECONDS);
      assertThat(rounds.await(120, TimeUnit.SECONDS)).isTrue();
      assertThat(logged.names()).contains("control.fault").hasSizeGreaterThanOrEqualTo(3);
    } finally {
      control.shutdownNow();
      assertThat(control.awaitTermination(120, TimeUnit.SECONDS)).isTrue(); // and logs no more
    }
  }

  @Test
  void shouldNotLogThatATaskCannotScheduleAnotherOnceTheNodeStops() throws Exception {
    ControlThread control = new ControlThread();
    try (LoggedEvents logged = LoggedEvents.of(ControlThread.class)) {
      control.execute(
          () -> {
            control.shutdown();
            control.schedule(() -> {}, 1, TimeUnit.HOURS);
          });
      assertThat(control.awaitTermination(120, TimeUnit.SECONDS)).isTrue();
      assertThat(logged.names()).isEmpty();
    }
  }
}
