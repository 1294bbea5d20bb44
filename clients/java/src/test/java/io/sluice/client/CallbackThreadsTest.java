package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.client.ScriptedNode.Session;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads that run the continuations of an application. */
@Timeout(180)
final class CallbackThreadsTest {
  @Test
  void shouldQueueContinuationsBeyondTheThreads() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger started = new AtomicInteger();
    try (ScriptedNode node = new ScriptedNode().expect();
        SluiceClient client = SluiceClient.builder(node.url()).maxCallbackThreads(2).build()) {
      Session session = node.welcome();
      for (int count = 0; count < 5; count++) {
        client
            .publish("a", "1")
            .thenRun(
                () -> {
                  started.incrementAndGet();
                  awaitUninterruptibly(release);
                });
      }
      for (int count = 0; count < 5; count++) {
        session.send(
            "{\"type\":\"published\",\"ref\":%d}".formatted(session.receive("publish").ref()));
      }
      // The client reads its socket meanwhile.
      session.send("{\"type\":\"stale\"}");
      await().until(() -> client.state() == ConnectionState.STALE);
      await().until(() -> started.get() == 2);
      assertThat(started).as("two of five continuations").hasValue(2);
      release.countDown();
      await().until(() -> started.get() == 5);
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
