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

/** Test of redirect targets at a node without others. */
final class TargetSelectorTest {
  private final Exposition exposition = new Exposition("places-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final Node chosen = Node.starting("a", "ws://a.example/ws", "", "1");
  private final ClusterMembership membership =
      new ClusterMembership(
          chosen, new LoadMeter(() -> 0, () -> 0, metrics), () -> true, () -> 0, Duration.ZERO);
  private final TargetSelector targets =
      new TargetSelector(membership, new Balance(new BalanceRules(0.2, 0)));

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  @Test
  void shouldReturnWhetherASelectedNodeIsAvailable() {
    assertThat(targets.isAvailable(chosen)).as("joining").isFalse();
    membership.onReady();
    assertThat(targets.isAvailable(chosen)).as("up").isTrue();
    membership.onDraining();
    assertThat(targets.isAvailable(chosen)).as("draining").isFalse();
  }

  @Test
  void shouldTreatANodeThatHasLeftAsUnavailable() {
    membership.onReady();

    assertThat(targets.isAvailable(Node.starting("b", "ws://b.example/ws", "", "1"))).isFalse();
  }
}
