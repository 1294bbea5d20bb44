package io.sluice.gateway.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.TestBroker;
import java.security.SecureRandom;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Clients connect and disconnect in every way; then no message is lost and no resource is leaked.
 * Takes a few seconds by default. With {@code -Dsluice.soak.minutes=60}, or the profile {@code
 * soak}, it runs long enough to reveal a slow leak.
 */
@Tag("full")
final class ChurnIT {
  private static final int MINUTES = Integer.getInteger("sluice.soak.minutes", 0);
  private static final long SEED = Long.getLong("sluice.soak.seed", new SecureRandom().nextLong());

  @Test
  void shouldNeitherLoseMessagesNorLeakResources() throws Exception {
    Duration length = MINUTES > 0 ? Duration.ofMinutes(MINUTES) : Duration.ofSeconds(7);
    System.out.println("soak: " + length + ", -Dsluice.soak.seed=" + SEED);
    try (LeakWatch leaks = new LeakWatch()) {
      churn(length, leaks);
      assertNone(leaks); // once more after the node has stopped
    } catch (Exception | AssertionError e) {
      throw new AssertionError("-Dsluice.soak.seed=" + SEED + ": " + e.getMessage(), e);
    }
  }

  private static void assertNone(LeakWatch leaks) {
    assertThat(leaks.reports()).as("leaked buffers").isEmpty();
  }

  private static void churn(Duration length, LeakWatch leaks) throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = TestNode.start(config(broker))) {
      node.awaitReady();
      try (Churn churn = new Churn(node, broker, SEED)) {
        churn.run(warmUp(length));
        churn.settle();
        Footprint before = Footprint.now();
        System.out.println("soak: warm: " + before);
        churn.run(length);
        churn.settle();
        Footprint after = Footprint.now();
        System.out.println("soak: over: " + after);
        churn.assertBusy();
        assertNone(leaks);
        after.assertBackTo(before);
        churn.end();
      }
    }
  }

  // Caches, compiled code and the pool reach their permanent size only after a while.
  private static Duration warmUp(Duration length) {
    Duration least = Duration.ofSeconds(3);
    Duration tenth = length.dividedBy(10);
    return tenth.compareTo(least) > 0 ? tenth : least;
  }

  // Limits that are soon reached, and short heartbeats.
  private static Config config(TestBroker broker) {
    return TestNode.unlimited(TestNode.config(broker.provider(), broker.url()))
        .with(LimitSettings.PENDING_BYTES, 512L * 1024)
        .with(HistorySettings.FRAMES, 0L) // then everything left in the pool is a leak
        .with(TimeoutSettings.PING, Duration.ofSeconds(5))
        .with(TimeoutSettings.CLOSE, Duration.ofSeconds(2));
  }
}
