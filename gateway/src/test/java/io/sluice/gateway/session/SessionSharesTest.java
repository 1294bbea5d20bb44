package io.sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.PayloadKind;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What one session is refused must not be taken from others. */
final class SessionSharesTest {
  private final Exposition exposition = new Exposition("shares-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  /** The shares of a node: as many sessions of as many principals and addresses as one likes. */
  private final class Node {
    private final Config config;
    private final TopicShares topics;
    private final ClientShare all;

    Node(Config config) {
      this.config = config;
      this.topics = new TopicShares(config, metrics);
      this.all = new ClientShare("", ShareLimits.ofNode(config), metrics);
    }

    ClientShare principal() {
      return new ClientShare("alice", ShareLimits.ofPrincipal(config), metrics);
    }

    ClientShare address() {
      return new ClientShare("192.0.2.1", ShareLimits.ofAddress(config), metrics);
    }

    SessionShares session(ClientShare principal, ClientShare address) {
      return new SessionShares(principal, address, topics, all);
    }
  }

  private static Publication publication(String topic) {
    return new Publication(topic, PayloadKind.TEXT, new byte[10], Map.of());
  }

  @Test
  void shouldRefuseWhatAnyOfThemRefuses() {
    Node node =
        new Node(
            Config.defaults()
                .with(LimitSettings.PRINCIPAL_SUBSCRIPTIONS, 1)
                .with(LimitSettings.ADDRESS_SUBSCRIPTIONS, 2)
                .with(LimitSettings.NODE_SUBSCRIPTIONS, 3));
    ClientShare office = node.address();
    SessionShares first = node.session(node.principal(), office);
    SessionShares second = node.session(node.principal(), office);
    SessionShares third = node.session(node.principal(), office);
    SessionShares fourth = node.session(node.principal(), node.address());
    SessionShares fifth = node.session(node.principal(), node.address());
    assertThat(first.subscribeProblem()).isNull();
    assertThat(first.subscribeProblem())
        .isEqualTo("all sessions of this client together have 1, as many as they are allowed");
    assertThat(second.subscribeProblem()).isNull();
    assertThat(third.subscribeProblem())
        .isEqualTo("all sessions of this address together have 2, as many as they are allowed");
    assertThat(fourth.subscribeProblem()).isNull();
    assertThat(fifth.subscribeProblem())
        .isEqualTo("all sessions of this node together have 3, as many as they are allowed");
  }

  @Test
  void shouldGiveBackWhatWasCountedBeforeAWiderShareRefused() {
    Node node =
        new Node(
            Config.defaults()
                .with(LimitSettings.PRINCIPAL_SUBSCRIPTIONS, 1)
                .with(LimitSettings.ADDRESS_SUBSCRIPTIONS, 1)
                .with(LimitSettings.NODE_SUBSCRIPTIONS, 1));
    SessionShares first = node.session(node.principal(), node.address());
    SessionShares second = node.session(node.principal(), node.address());
    assertThat(first.subscribeProblem()).isNull();
    assertThat(second.subscribeProblem()).contains("this node");
    first.endSubscription();
    assertThat(second.subscribeProblem()).isNull();
  }

  @Test
  void shouldGiveBackWhatThePrincipalHadBeforeTheAddressRefused() {
    Node node =
        new Node(
            Config.defaults()
                .with(LimitSettings.PRINCIPAL_SUBSCRIPTIONS, 1)
                .with(LimitSettings.ADDRESS_SUBSCRIPTIONS, 1));
    ClientShare office = node.address();
    SessionShares first = node.session(node.principal(), office);
    SessionShares second = node.session(node.principal(), office);
    assertThat(first.subscribeProblem()).isNull();
    assertThat(second.subscribeProblem()).contains("this address");
    first.endSubscription();
    assertThat(second.subscribeProblem()).isNull();
  }

  @Test
  void shouldNotTakeFromTheNodeWhatANarrowerShareRefuses() {
    Node node =
        new Node(
            Config.defaults()
                .with(LimitSettings.ADDRESS_PUBLISH_RATE, 1)
                .with(LimitSettings.NODE_PUBLISH_RATE, 2));
    SessionShares greedy = node.session(ClientShare.UNCOUNTED, node.address());
    assertThat(greedy.publishProblem(publication("a"))).isNull();
    for (int more = 0; more < 10; more++) {
      assertThat(greedy.publishProblem(publication("a")))
          .isEqualTo("all sessions of this address together are over 1 publishes a second");
    }
    SessionShares other = node.session(ClientShare.UNCOUNTED, node.address());
    assertThat(other.publishProblem(publication("a"))).isNull();
  }

  @Test
  void shouldNotTakeFromTheNodeWhatATopicRefuses() {
    Node node =
        new Node(
            Config.defaults()
                .with(LimitSettings.TOPIC_PUBLISH_RATE, 1)
                .with(LimitSettings.NODE_PUBLISH_RATE, 2));
    SessionShares session = node.session(ClientShare.UNCOUNTED, ClientShare.UNCOUNTED);
    assertThat(session.publishProblem(publication("a"))).isNull();
    for (int more = 0; more < 10; more++) {
      assertThat(session.publishProblem(publication("a"))).contains("this topic");
    }
    assertThat(session.publishProblem(publication("b"))).isNull();
  }

  @Test
  void shouldBoundTheBytesOfAllClientsTogether() {
    Node node = new Node(Config.defaults().with(LimitSettings.NODE_PUBLISH_BYTES, 15L));
    SessionShares session = node.session(ClientShare.UNCOUNTED, ClientShare.UNCOUNTED);
    assertThat(session.publishProblem(publication("a"))).isNull();
    assertThat(session.publishProblem(publication("b")))
        .isEqualTo("all sessions of this node together are over 15 bytes a second");
  }
}
