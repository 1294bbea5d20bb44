package io.sluice.gateway.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cluster.Node;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Test of the drain rate of a node without others. */
final class ClusterDrainPacerTest {
  private static final int RATE = 100;
  private static final long TICK_MS = 20;

  private final Exposition exposition = new Exposition("pace-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private int left = 250;
  private final LoadMeter loads = new LoadMeter(() -> left, () -> left, metrics);
  private final ClusterMembership membership =
      new ClusterMembership(
          Node.starting("a", "", "", "1"), loads, () -> true, () -> 0, Duration.ZERO);
  private final ClusterDrainPacer pace = new ClusterDrainPacer(RATE, membership);

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  private int pass(long ms) {
    int before = left;
    for (long passed = 0; passed < ms && left > 0; passed += TICK_MS) {
      left -= pace.clients(left, TICK_MS, 0);
    }
    return before - left;
  }

  @Test
  void shouldRedirectNoClientBeforeTheDrainIsAnnounced() {
    membership.onDraining();

    assertThat(pass(ClusterDrainPacer.INTERVAL_MS)).isZero();
  }

  @Test
  void shouldSpreadTheRateOverEachSecond() {
    membership.onDraining();
    pass(ClusterDrainPacer.INTERVAL_MS);

    assertThat(pass(ClusterDrainPacer.INTERVAL_MS / 2)).isBetween(RATE / 2 - 2, RATE / 2);
    assertThat(pass(ClusterDrainPacer.INTERVAL_MS / 2)).isBetween(RATE / 2 - 2, RATE / 2 + 2);
    pass(ClusterDrainPacer.INTERVAL_MS);
    assertThat(left).isBetween(50, 54);
    pass(ClusterDrainPacer.INTERVAL_MS);
    assertThat(left).isZero();
  }

  @Test
  void shouldRedirectNoMoreClientsThanConnected() {
    membership.onDraining();
    pass(ClusterDrainPacer.INTERVAL_MS + TICK_MS);
    left = 3;

    assertThat(pass(ClusterDrainPacer.INTERVAL_MS)).isEqualTo(3);
  }

  @Test
  void shouldIncludeTheEmptyFirstIntervalInTheForecast() {
    assertThat(pace.forecastMs(left)).isEqualTo(1000 + 2500);
  }
}
