package io.sluice.gateway.broker.provider;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Value of the clock of checks at one and several nodes. */
final class ServiceClockTest {
  private static final long INTERVAL_MS = 1_000;
  private static final long NS = 1_000_000;

  private final ServiceClock clock = new ServiceClock(INTERVAL_MS);

  private long check(ServiceClock node, long storedMs, long timeMs) {
    long valueMs = node.valueMs(storedMs, timeMs * NS);
    node.onChecked(valueMs, timeMs * NS);
    return valueMs;
  }

  @Test
  void shouldNotCountTheTimeBeforeTheFirstCheck() {
    assertThat(check(clock, 700, 5_000)).isEqualTo(700);
  }

  @Test
  void shouldCountTheTimeBetweenChecks() {
    check(clock, 0, 0);

    assertThat(check(clock, 0, 400)).isEqualTo(400);
    assertThat(check(clock, 400, 1_400)).isEqualTo(1_400);
  }

  @Test
  void shouldCountAnOutageAsOneInterval() {
    check(clock, 0, 0);

    assertThat(check(clock, 0, 1_000_000)).isEqualTo(INTERVAL_MS);
  }

  @Test
  void shouldNotCountTheProgressOfOthersAgain() {
    check(clock, 0, 0);

    assertThat(clock.valueMs(300, 400 * NS)).isEqualTo(400);
    assertThat(clock.valueMs(900, 400 * NS)).isEqualTo(900);
  }

  @Test
  void shouldContinueFromTheValueOfAnotherBroker() {
    check(clock, 1_000_000, 0);

    assertThat(check(clock, 50, 1_000)).as("earlier").isEqualTo(50 + INTERVAL_MS);
    assertThat(check(clock, 9_000_000, 2_000)).as("later").isEqualTo(9_000_000);
  }

  @Test
  void shouldNeverBeFasterThanTheTime() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<ServiceClock> nodes = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      nodes.add(new ServiceClock(INTERVAL_MS));
    }
    long storedMs = 0;
    for (long timeMs = 0; timeMs < 100_000; timeMs += random.nextInt(300)) {
      ServiceClock node = nodes.get(random.nextInt(nodes.size()));
      long valueMs = check(node, storedMs, timeMs);
      assertThat(valueMs).as("seed %d", seed).isLessThanOrEqualTo(timeMs);
      if (random.nextInt(4) > 0) { // another node has replaced the other ones
        storedMs = valueMs;
      }
    }
    assertThat(storedMs).as("seed %d", seed).isGreaterThan(50_000);
  }
}
