package io.sluice.gateway.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A request that is rejected for one session must not use up the quotas of others. */
final class SessionQuotasTest {
  private final Exposition exposition = new Exposition("quotas-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  /** Quotas of a node with any number of sessions, principals and addresses. */
  private final class Node {
    private final Config config;
    private final QuotaRegistry topics;
    private final Quota all;

    Node(Config config) {
      this.config = config;
      this.topics = QuotaRegistry.ofTopics(config, metrics);
      this.all = new Quota("", QuotaLimits.ofNode(config), metrics);
    }

    Quota principal() {
      return new Quota("alice", QuotaLimits.ofPrincipal(config), metrics);
    }

    Quota address() {
      return new Quota("192.0.2.1", QuotaLimits.ofAddress(config), metrics);
    }

    SessionQuotas session(Quota principal, Quota address) {
      return new SessionQuotas(principal, address, topics, all);
    }
  }

  @Test
  void shouldRejectWhatAnyQuotaRejects() {
    Node node =
        new Node(
            Config.defaults()
                .with(LimitSettings.PRINCIPAL_SUBSCRIPTIONS, 1)
                .with(LimitSettings.ADDRESS_SUBSCRIPTIONS, 2)
                .with(LimitSettings.NODE_SUBSCRIPTIONS, 3));
    Quota office = node.address();
    SessionQuotas first = node.session(node.principal(), office);
    SessionQuotas second = node.session(node.principal(), office);
    SessionQuotas third = node.session(node.principal(), office);
    SessionQuotas fourth = node.session(node.principal(), node.address());
    SessionQuotas fifth = node.session(node.principal(), node.address());
    assertThat(first.subscribeProblem()).isNull();
    assertThat(first.subscribeProblem())
        .isEqualTo("number of subscriptions exceeds limits.principal.subscriptions (1)");
    assertThat(second.subscribeProblem()).isNull();
    assertThat(third.subscribeProblem())
        .isEqualTo("number of subscriptions exceeds limits.address.subscriptions (2)");
    assertThat(fourth.subscribeProblem()).isNull();
    assertThat(fifth.subscribeProblem())
        .isEqualTo("number of subscriptions exceeds limits.node.subscriptions (3)");
  }

  @Test
  void shouldReleaseNarrowQuotasThatAWiderOneRejects() {
    Node node =
        new Node(
            Config.defaults()
                .with(LimitSettings.PRINCIPAL_SUBSCRIPTIONS, 1)
                .with(LimitSettings.ADDRESS_SUBSCRIPTIONS, 1)
                .with(LimitSettings.NODE_SUBSCRIPTIONS, 1));
    SessionQuotas first = node.session(node.principal(), node.address());
    SessionQuotas second = node.session(node.principal(), node.address());
    assertThat(first.subscribeProblem()).isNull();
    assertThat(second.subscribeProblem()).contains("limits.node.subscriptions");
    first.endSubscription();
    assertThat(second.subscribeProblem()).isNull();
  }

  @Test
  void shouldReleaseThePrincipalsQuotaThatTheAddressRejects() {
    Node node =
        new Node(
            Config.defaults()
                .with(LimitSettings.PRINCIPAL_SUBSCRIPTIONS, 1)
                .with(LimitSettings.ADDRESS_SUBSCRIPTIONS, 1));
    Quota office = node.address();
    SessionQuotas first = node.session(node.principal(), office);
    SessionQuotas second = node.session(node.principal(), office);
    assertThat(first.subscribeProblem()).isNull();
    assertThat(second.subscribeProblem()).contains("limits.address.subscriptions");
    first.endSubscription();
    assertThat(second.subscribeProblem()).isNull();
  }

  @Test
  void shouldNotChargeTheNodeForWhatANarrowQuotaRejects() {
    Node node =
        new Node(
            Config.defaults()
                .with(LimitSettings.ADDRESS_PUBLISH_RATE, 1)
                .with(LimitSettings.NODE_PUBLISH_RATE, 2));
    SessionQuotas greedy = node.session(Quota.UNCOUNTED, node.address());
    assertThat(greedy.publishProblem("a", 10)).isNull();
    for (int more = 0; more < 10; more++) {
      assertThat(greedy.publishProblem("a", 10))
          .isEqualTo("publish rate exceeds limits.address.publish-rate (1/s)");
    }
    SessionQuotas other = node.session(Quota.UNCOUNTED, node.address());
    assertThat(other.publishProblem("a", 10)).isNull();
  }

  @Test
  void shouldNotChargeTheNodeForWhatATopicRejects() {
    Node node =
        new Node(
            Config.defaults()
                .with(LimitSettings.TOPIC_PUBLISH_RATE, 1)
                .with(LimitSettings.NODE_PUBLISH_RATE, 2));
    SessionQuotas session = node.session(Quota.UNCOUNTED, Quota.UNCOUNTED);
    assertThat(session.publishProblem("a", 10)).isNull();
    for (int more = 0; more < 10; more++) {
      assertThat(session.publishProblem("a", 10)).contains("limits.topic-publish-rate");
    }
    assertThat(session.publishProblem("b", 10)).isNull();
  }

  @Test
  void shouldBoundTheBytesOfAllClientsTogether() {
    Node node = new Node(Config.defaults().with(LimitSettings.NODE_PUBLISH_BYTES, 15L));
    SessionQuotas session = node.session(Quota.UNCOUNTED, Quota.UNCOUNTED);
    assertThat(session.publishProblem("a", 10)).isNull();
    assertThat(session.publishProblem("b", 10))
        .isEqualTo("rate of published bytes exceeds limits.node.publish-bytes (15/s)");
  }
}
