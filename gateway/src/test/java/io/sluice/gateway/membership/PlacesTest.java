package io.sluice.gateway.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cluster.Balance;
import io.sluice.cluster.BalanceRules;
import io.sluice.cluster.Node;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where clients can be sent, seen by a node that knows of no other. */
final class PlacesTest {
  private final Exposition exposition = new Exposition("places-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final Node chosen = Node.starting("a", "ws://a.example/ws", "", "1");
  private final ClusterMembership membership =
      new ClusterMembership(
          chosen, new LoadMeter(() -> 0, () -> 0, metrics), () -> true, () -> 0, Duration.ZERO);
  private final Places places = new Places(membership, new Balance(new BalanceRules(0.2, 0)));

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  @Test
  void shouldKnowWhetherAPlaceThatWasChosenIsStillOpen() {
    assertThat(places.isOpen(chosen)).as("joining").isFalse();
    membership.onReady();
    assertThat(places.isOpen(chosen)).as("up").isTrue();
    membership.onDraining();
    assertThat(places.isOpen(chosen)).as("draining").isFalse();
  }

  @Test
  void shouldFindAPlaceClosedThatIsGone() {
    membership.onReady();

    assertThat(places.isOpen(Node.starting("b", "ws://b.example/ws", "", "1"))).isFalse();
  }
}
