package io.sluice.gateway.membership;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.sluice.cluster.Node;
import io.sluice.cluster.NodeState;
import io.sluice.cluster.Standalone;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.testkit.LoggedEvents;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Test of the announced state of a node. */
final class ClusterMembershipTest {
  private static final Duration SETTLE = Duration.ofSeconds(15);

  private final Exposition exposition = new Exposition("membership-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final AtomicBoolean live = new AtomicBoolean();
  private final AtomicInteger losses = new AtomicInteger();
  private final AtomicInteger clients = new AtomicInteger();
  private final AtomicInteger untold = new AtomicInteger();
  private final Node node = Node.starting("a", "ws://a.example/ws", "", "1");
  private final AtomicLong nanos = new AtomicLong();
  private final ClusterMembership membership =
      new ClusterMembership(
          node,
          new LoadMeter(clients::get, untold::get, metrics),
          live::get,
          losses::get,
          SETTLE,
          nanos::get);

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  private void loseBroker() {
    live.set(false);
    losses.incrementAndGet();
  }

  private NodeState state() {
    membership.announce();
    return membership.self().state();
  }

  @Test
  void shouldBeUpOnceItIsReadyAndHasItsBroker() {
    assertThat(state()).isEqualTo(NodeState.JOINING);
    live.set(true);
    assertThat(state()).isEqualTo(NodeState.JOINING);
    membership.onReady();
    assertThat(state()).isEqualTo(NodeState.UP);
  }

  @Test
  void shouldLogItsStateInAClusterOnly() {
    live.set(true);
    try (LoggedEvents logged = LoggedEvents.of(ClusterMembership.class, Level.INFO)) {
      membership.onReady();
      assertThat(state()).isEqualTo(NodeState.UP);
      assertThat(logged.names()).isEmpty();
      membership.enter(new Standalone(node));
      membership.onSubscribed(0);
      assertThat(logged.names()).containsExactly("cluster.state");
    }
  }

  @Test
  void shouldNotBeUpWithoutItsBroker() {
    live.set(true);
    membership.onReady();
    loseBroker();
    assertThat(state()).isEqualTo(NodeState.BROKER_LOST);
    nanos.addAndGet(SETTLE.toNanos());
    live.set(true);
    assertThat(state()).as("its logs have begun anew").isEqualTo(NodeState.JOINING);
    nanos.addAndGet(SETTLE.toNanos());
    assertThat(state()).isEqualTo(NodeState.UP);
  }

  @Test
  void shouldSettleAfterALossBetweenTwoPolls() {
    live.set(true);
    membership.onReady();
    loseBroker();
    live.set(true);
    assertThat(state()).as("its logs have begun anew").isEqualTo(NodeState.JOINING);
    assertThat(membership.hasBeenReady()).as("ready for clients that come by themselves").isTrue();
    nanos.addAndGet(SETTLE.toNanos() - 1);
    loseBroker();
    live.set(true);
    assertThat(state()).isEqualTo(NodeState.JOINING);
    nanos.addAndGet(SETTLE.toNanos() - 1);
    assertThat(state()).as("and once more").isEqualTo(NodeState.JOINING);
    nanos.addAndGet(1);
    assertThat(state()).isEqualTo(NodeState.UP);
  }

  @Test
  void shouldNotSettleAfterLossesBeforeItsFirstConnection() {
    loseBroker();
    live.set(true);
    membership.onReady();
    assertThat(state()).isEqualTo(NodeState.UP);
  }

  @Test
  void shouldBeReadyOnceTheLogsOfSharedTopicsHaveSettled() {
    live.set(true);
    membership.onSubscribed(3);
    assertThat(state()).isEqualTo(NodeState.JOINING);
    assertThat(membership.hasBeenReady()).isFalse();
    nanos.addAndGet(SETTLE.toNanos());
    assertThat(state()).isEqualTo(NodeState.UP);
    assertThat(membership.hasBeenReady()).isTrue();
  }

  @Test
  void shouldNotBeUpWhileItSubscribesToSharedTopics() {
    live.set(true);
    membership.onReady();
    membership.onSubscribing();
    assertThat(state()).isEqualTo(NodeState.JOINING);
    membership.onSubscribed(2);
    assertThat(state()).as("their logs are young").isEqualTo(NodeState.JOINING);
    assertThat(membership.hasBeenReady()).as("ready for clients that come by themselves").isTrue();
    nanos.addAndGet(SETTLE.toNanos());
    assertThat(state()).isEqualTo(NodeState.UP);
  }

  @Test
  void shouldStayDrainingRegardlessOfTheBroker() {
    live.set(true);
    membership.onReady();
    membership.onDraining();
    assertThat(state()).isEqualTo(NodeState.DRAINING);
    loseBroker();
    assertThat(state()).isEqualTo(NodeState.DRAINING);
  }

  @Test
  void shouldReportItsClientsBeforeItDrains() {
    clients.set(7);
    untold.set(5);
    membership.onDraining();
    assertThat(membership.nodes()).singleElement().extracting(Node::load).isNotNull();
    assertThat(membership.nodes().get(0).load().connections()).isEqualTo(7);
    assertThat(membership.nodes().get(0).load().movable()).isEqualTo(5);

    untold.set(3);
    assertThat(membership.drainedBefore()).as("a cluster without other nodes").isZero();
    assertThat(membership.nodes().get(0).load().movable()).as("reported").isEqualTo(3);
  }

  @Test
  void shouldBeUpInALaterClusterOnceSharedTopicsAreKnown() {
    live.set(true);
    membership.onReady();
    Standalone later = new Standalone(node);
    membership.enter(later);
    assertThat(later.self().state()).isEqualTo(NodeState.JOINING);
    membership.onSubscribed(0);
    assertThat(later.self().state()).isEqualTo(NodeState.UP);
  }
}
