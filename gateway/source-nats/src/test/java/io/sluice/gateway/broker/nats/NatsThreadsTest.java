package io.sluice.gateway.broker.nats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
final class NatsThreadsTest {
  private final ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor();
  private final NatsThreads threads = new NatsThreads(control);
  private final CountDownLatch answered = new CountDownLatch(1);

  @AfterEach
  void stop() {
    answered.countDown();
    threads.stop(() -> {});
    control.shutdown();
  }

  /** A user whose topics belong to a stream without a leader, for example. */
  @Test
  void shouldServeOthersWhileTheTopicsOfAUserWaitForTheServer() throws Exception {
    for (int i = 0; i < 100; i++) {
      threads.open("a", this::awaitAnswer);
    }
    CountDownLatch done = new CountDownLatch(2);
    threads.open("b", done::countDown);
    threads.work(done::countDown); // such as the confirmation of publishes
    assertThat(done.await(40, TimeUnit.SECONDS)).isTrue();
  }

  private void awaitAnswer() {
    try {
      answered.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
