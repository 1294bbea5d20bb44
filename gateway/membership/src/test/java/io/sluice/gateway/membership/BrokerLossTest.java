package io.sluice.gateway.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cluster.Balance;
import io.sluice.cluster.BalanceRules;
import io.sluice.cluster.Cluster;
import io.sluice.cluster.ClusterCounts;
import io.sluice.cluster.Exchange;
import io.sluice.cluster.Load;
import io.sluice.cluster.Node;
import io.sluice.cluster.NodeState;
import io.sluice.cluster.SharedTopics;
import io.sluice.cluster.Standalone;
import io.sluice.cluster.peer.PeerIdentity;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.drain.RedirectTarget;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Test of the start, end and rate of redirects while the broker is lost. */
final class BrokerLossTest {
  private static final long TICK_MS = 250;
  private static final long TIMEOUT_MS = 2_000;

  private final Exposition exposition = new Exposition("broker-loss-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final List<RedirectTarget> moves = new ArrayList<>();
  private int clients = 300;
  private boolean live = true;
  private int losses;
  private boolean draining;
  private final Node self = Node.starting("self", "ws://self/ws", "", "1");
  private final List<Node> others = new ArrayList<>();
  private final ClusterMembership membership =
      new ClusterMembership(
          self,
          new LoadMeter(() -> clients, () -> clients, metrics),
          () -> live,
          () -> losses,
          Duration.ZERO);
  private final TargetSelector targets =
      new TargetSelector(membership, new Balance(new BalanceRules(0.2, 0)));
  private final BrokerLoss loss = brokerLoss(Config.defaults());

  private BrokerLoss brokerLoss(Config config) {
    membership.enter(new Others());
    return new BrokerLoss(
        () -> clients,
        this::evacuate,
        targets,
        () -> live,
        () -> losses,
        () -> draining,
        MemberOptions.of(config));
  }

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  /** Redirects clients, which leave at once. Returns the number of those that remain. */
  private int evacuate(int count, long withinMs, Supplier<RedirectTarget> next) {
    for (int i = 0; i < count; i++) {
      RedirectTarget place = next.get();
      if (place != null) {
        moves.add(place);
        clients--;
      }
    }
    return clients;
  }

  /** Other nodes, set by the test. */
  private final class Others implements Cluster {
    private final Standalone alone = new Standalone(self);

    @Override
    public Node self() {
      return alone.self();
    }

    @Override
    public List<Node> nodes() {
      List<Node> all = new ArrayList<>(others);
      all.add(alone.self());
      return all;
    }

    @Override
    public void announce(NodeState state) {
      alone.announce(state);
    }

    @Override
    public void report(Load load) {
      alone.report(load);
    }

    @Override
    public void renew(PeerIdentity.Certified identity) {}

    @Override
    public CompletionStage<List<String>> activeTopics(int limit) {
      return CompletableFuture.completedStage(List.of());
    }

    @Override
    public SharedTopics topicsOfOthers() {
      return SharedTopics.NONE;
    }

    @Override
    public void join(List<Exchange> exchanges) {}

    @Override
    public void onChange(Runnable listener) {}

    @Override
    public ClusterCounts counts() {
      return alone.counts();
    }

    @Override
    public void close() {}
  }

  private void other(String name, NodeState state, int connections, int capacity) {
    Load load = new Load(connections, connections, 0, 0, 0);
    String url = "ws://" + name + "/ws";
    others.add(new Node(name, 1, url, "", "1", state, 0, load, capacity));
  }

  private void lose() {
    live = false;
    losses++;
  }

  private void pass(BrokerLoss of, long ms) {
    for (long passed = 0; passed < ms; passed += TICK_MS) {
      of.onTick(TICK_MS);
    }
  }

  private long movesTo(String name) {
    return moves.stream().filter(place -> place.url().equals("ws://" + name + "/ws")).count();
  }

  @Test
  void shouldRedirectClientsOnlyAfterTheDelay() {
    other("a", NodeState.UP, 100, 0);
    lose();
    loss.onTick(TICK_MS);
    pass(loss, TIMEOUT_MS - TICK_MS);
    assertThat(moves).isEmpty();
    assertThat(loss.redirectForEntry()).isNull();
    loss.onTick(TICK_MS);
    assertThat(moves).isNotEmpty();
    assertThat(loss.redirectForEntry()).isEqualTo("ws://a/ws");
  }

  @Test
  void shouldRedirectNoClientAfterShortLosses() {
    other("a", NodeState.UP, 100, 0);
    for (int i = 0; i < 10; i++) {
      lose();
      pass(loss, TIMEOUT_MS - TICK_MS);
      live = true;
      losses++; // another loss between two ticks
      live = false;
    }
    assertThat(moves).isEmpty();
  }

  @Test
  void shouldRedirectNoClientIfNoOtherNodeServes() {
    other("a", NodeState.JOINING, 100, 0);
    other("b", NodeState.DRAINING, 100, 0);
    lose();
    pass(loss, 10 * TIMEOUT_MS);
    assertThat(moves).isEmpty();
    assertThat(loss.redirectForEntry()).isNull();
  }

  @Test
  void shouldStopWhenTheBrokerIsBack() {
    clients = 100_000;
    other("a", NodeState.UP, 100, 0);
    lose();
    pass(loss, TIMEOUT_MS + 3 * TICK_MS);
    int before = moves.size();
    assertThat(moves).allMatch(place -> place.admitsClients().getAsBoolean());
    live = true;
    assertThat(moves).noneMatch(place -> place.admitsClients().getAsBoolean());
    assertThat(loss.redirectForEntry()).isNull();
    pass(loss, 10 * TIMEOUT_MS);
    assertThat(moves).hasSize(before);
  }

  @Test
  void shouldSpreadClientsByCapacity() {
    clients = 300;
    other("a", NodeState.UP, 100, 0);
    other("b", NodeState.UP, 300, 0);
    lose();
    pass(loss, 20_000);
    assertThat(clients).isZero();
    assertThat(movesTo("a")).isBetween(230L, 270L);
    assertThat(movesTo("b")).isBetween(30L, 70L);
  }

  @Test
  void shouldKeepClientsIfNoNodeHasCapacity() {
    clients = 300;
    other("a", NodeState.UP, 100, 150);
    other("b", NodeState.UP, 100, 200);
    lose();
    pass(loss, 20_000);
    assertThat(movesTo("a")).isEqualTo(50);
    assertThat(movesTo("b")).isEqualTo(100);
    assertThat(clients).isEqualTo(150);
  }

  @Test
  void shouldShareTheRateWithOtherNodesWithoutABroker() {
    BrokerLoss paced = brokerLoss(Config.defaults().with(TimeoutSettings.DRAIN_RATE, 40));
    other("a", NodeState.UP, 100, 0);
    other("lost", NodeState.BROKER_LOST, 100, 0);
    lose();
    paced.onTick(TICK_MS);
    pass(paced, TIMEOUT_MS - TICK_MS);
    pass(paced, 5_000);
    assertThat(moves).hasSizeBetween(95, 100);
  }

  @Test
  void shouldRedirectAllClientsWithinHalfOfTheDrainTimeout() {
    clients = 60_000;
    BrokerLoss paced =
        brokerLoss(Config.defaults().with(TimeoutSettings.DRAIN, Duration.ofSeconds(20)));
    other("a", NodeState.UP, 0, 0);
    lose();
    pass(paced, TIMEOUT_MS);
    pass(paced, 5_000);
    assertThat(moves.size()).isBetween(25_000, 35_000);
    pass(paced, 10_000);
    assertThat(clients).isZero();
  }

  @Test
  void shouldStopOnceTheNodeDrains() {
    clients = 100_000;
    other("a", NodeState.UP, 100, 0);
    lose();
    pass(loss, TIMEOUT_MS + 3 * TICK_MS);
    int before = moves.size();
    assertThat(before).isPositive();
    draining = true;
    pass(loss, 10 * TIMEOUT_MS);
    assertThat(moves).hasSize(before);
    assertThat(loss.redirectForEntry()).isNull();
  }

  @Test
  void shouldRedirectNoClientIfDisabled() {
    BrokerLoss off =
        brokerLoss(
            Config.defaults().with(ClusterSettings.BALANCE_BROKER_LOSS_AFTER, Duration.ZERO));
    other("a", NodeState.UP, 100, 0);
    lose();
    pass(off, 10 * TIMEOUT_MS);
    assertThat(moves).isEmpty();
  }
}
