package io.sluice.gateway.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.limits.QuotaLimits.Limit;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.InterestKey;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A request that is rejected for one connection must not use up the quotas of others. */
final class QuotasTest {
  private static final Config UNLIMITED = TestNode.unlimited(Config.defaults());

  private final Exposition exposition = new Exposition("quotas-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private Quotas quotas;

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  private void limit(Config config) {
    quotas = new Quotas(QuotaOptions.of(config), metrics);
  }

  private Lease lease(String address) {
    return (Lease) quotas.acquire(address);
  }

  private Lease lease(String address, String principal) {
    Lease lease = lease(address);
    assertThat(lease.acquirePrincipal(principal)).isNull();
    return lease;
  }

  private static String key(Acquisition rejected) {
    return ((Limit) rejected).key();
  }

  @Test
  void shouldApplyNewLimitsToUsedAndUnusedQuotas() {
    Config config = UNLIMITED.with(LimitSettings.ADDRESS_CONNECTIONS, 1);
    limit(config);
    lease("a");
    assertThat(key(quotas.acquire("a"))).isEqualTo("limits.per-address.connections");

    quotas.reload(QuotaOptions.of(config.with(LimitSettings.ADDRESS_CONNECTIONS, 2)));

    lease("a");
    assertThat(key(quotas.acquire("a"))).isEqualTo("limits.per-address.connections");
    lease("b");
    lease("b");
    assertThat(quotas.acquire("b")).isNotInstanceOf(Lease.class);
  }

  @Test
  void shouldNotAddOrRemoveLimits() {
    Config config = UNLIMITED.with(LimitSettings.ADDRESS_CONNECTIONS, 1);
    limit(config);
    Lease open = lease("a");

    quotas.reload(
        QuotaOptions.of(
            config
                .with(LimitSettings.ADDRESS_CONNECTIONS, 0)
                .with(LimitSettings.ADDRESS_SUBSCRIPTIONS, 1)));

    assertThat(quotas.acquire("a")).as("removed limit").isNotInstanceOf(Lease.class);
    assertThat(open.subscribe(InterestKey.of("x"))).as("added limit").isNull();
    assertThat(open.subscribe(InterestKey.of("y"))).isNull();
  }

  @Test
  void shouldReleaseAllQuotasAfterAnyLimitRejectsAConnection() {
    limit(
        UNLIMITED
            .with(LimitSettings.ADDRESS_CONNECTIONS, 1)
            .with(LimitSettings.CONNECTIONS, 2)
            .with(LimitSettings.HANDSHAKE_RATE, 2));
    Lease first = lease("a");
    assertThat(key(quotas.acquire("a"))).isEqualTo("limits.per-address.connections");
    lease("b");
    assertThat(key(quotas.acquire("c"))).isEqualTo("limits.per-node.connections");
    first.close();
    // Neither rejection above used up the rate.
    assertThat(key(quotas.acquire("a"))).isEqualTo("limits.per-node.handshake-rate");
    assertThat(quotas.node().connections()).isEqualTo(1);
    assertThat(quotas.addresses().hasRoom("a")).isTrue();
  }

  @Test
  void shouldReleaseALeaseOnce() {
    limit(UNLIMITED.with(LimitSettings.PRINCIPAL_CONNECTIONS, 1));
    Lease lease = lease("a", "alice");
    assertThat(lease("a").acquirePrincipal("alice").key())
        .isEqualTo("limits.per-principal.connections");
    lease.releasePrincipal();
    lease.close();
    lease.close();
    assertThat(quotas.node().connections()).isEqualTo(1);
    lease("a", "alice");
  }

  @Test
  void shouldBoundTheRateOfSessionsOfOnePrincipal() {
    limit(UNLIMITED.with(LimitSettings.PRINCIPAL_HANDSHAKE_RATE, 2));
    lease("a", "alice").close();
    lease("a", "alice").close();
    assertThat(lease("a").acquirePrincipal("alice").problem())
        .isEqualTo("handshake rate exceeds limits.per-principal.handshake-rate (2/s)");
    lease("a", "bob");
  }

  @Test
  void shouldRememberUsedTokensUntilTheNextSession() {
    limit(UNLIMITED.with(LimitSettings.PRINCIPAL_PUBLISH_RATE, 1));
    Lease first = lease("a", "alice");
    assertThat(first.publish("t")).isNull();
    first.close();
    assertThat(lease("a", "alice").publish("t").problem())
        .isEqualTo("publish rate exceeds limits.per-principal.publish-rate (1/s)");
  }

  @Test
  void shouldRejectASubscriptionThatAnyQuotaRejects() {
    limit(
        UNLIMITED
            .with(LimitSettings.PRINCIPAL_SUBSCRIPTIONS, 1)
            .with(LimitSettings.ADDRESS_SUBSCRIPTIONS, 2)
            .with(LimitSettings.NODE_SUBSCRIPTIONS, 3));
    Lease first = lease("office", "p1");
    assertThat(first.subscribe(InterestKey.of("t"))).isNull();
    assertThat(first.subscribe(InterestKey.of("t")).problem())
        .isEqualTo("number of subscriptions exceeds limits.per-principal.subscriptions (1)");
    assertThat(lease("office", "p2").subscribe(InterestKey.of("t"))).isNull();
    assertThat(lease("office", "p3").subscribe(InterestKey.of("t")).problem())
        .isEqualTo("number of subscriptions exceeds limits.per-address.subscriptions (2)");
    assertThat(lease("b", "p3").subscribe(InterestKey.of("t"))).isNull();
    assertThat(lease("c", "p4").subscribe(InterestKey.of("t")).problem())
        .isEqualTo("number of subscriptions exceeds limits.per-node.subscriptions (3)");
    first.unsubscribe(InterestKey.of("t"));
    // The rejected subscriptions are not counted for their principals and addresses.
    assertThat(lease("office", "p3").subscribe(InterestKey.of("t"))).isNotNull();
    assertThat(lease("office", "p4").subscribe(InterestKey.of("t"))).isNull();
  }

  /**
   * Clients of an office share one address; each has a topic of its own, and all arrive at once.
   */
  @Test
  void shouldAdmitAnOfficeBehindOneAddress() {
    limit(Config.defaults());
    long rate = QuotaLimits.ofAddress(Config.defaults()).handshakes().max();
    assertThat(rate).isGreaterThanOrEqualTo(5_000); // twice what 10,000 clients in 4 s need

    for (int i = 0; i < 10_000; i++) {
      Lease lease = lease("office", "employee" + i);
      assertThat(lease.subscribe(InterestKey.of("inbox." + i))).isNull();
      assertThat(lease.publish("orders")).isNull();
      assertThat(lease.acquireConsumer()).isNull();
    }
    assertThat(key(lease("office", "one more").acquireConsumer()))
        .isEqualTo("limits.per-node.consumers");
  }

  @Test
  void shouldLimitTheAddressOfClientsWhosePrincipalIsNotLimited() {
    limit(
        Config.defaults()
            .with(LimitSettings.ADDRESS_TOPICS, 2)
            .with(LimitSettings.PRINCIPAL_TOPICS, 0));
    for (int i = 0; i < 2; i++) {
      assertThat(lease("office", "p" + i).subscribe(InterestKey.of("t" + i))).isNull();
    }
    assertThat(key(lease("office", "p2").subscribe(InterestKey.of("t2"))))
        .isEqualTo("limits.per-address.topics");
    limit(Config.defaults().with(LimitSettings.ADDRESS_TOPICS, 2));
    for (int i = 0; i < 2; i++) {
      assertThat(lease("office").subscribe(InterestKey.of("t" + i))).isNull();
    }
    assertThat(key(lease("office").subscribe(InterestKey.of("t2"))))
        .isEqualTo("limits.per-address.topics");
  }

  @Test
  void shouldNotChargeTheNodeForAPublishThatANarrowQuotaRejects() {
    limit(
        UNLIMITED
            .with(LimitSettings.ADDRESS_PUBLISH_RATE, 1)
            .with(LimitSettings.NODE_PUBLISH_RATE, 2));
    Lease greedy = lease("a");
    assertThat(greedy.publish("t")).isNull();
    for (int more = 0; more < 10; more++) {
      assertThat(greedy.publish("t").key()).isEqualTo("limits.per-address.publish-rate");
    }
    assertThat(lease("b").publish("t")).isNull();
  }

  @Test
  void shouldNameTheLimitThatPublishesAtOnceAlwaysExceed() {
    limit(
        UNLIMITED
            .with(LimitSettings.TOPIC_PUBLISH_RATE, 2)
            .with(LimitSettings.ADDRESS_PUBLISH_RATE, 4)
            .with(LimitSettings.NODE_PUBLISH_RATE, 3));
    Lease lease = lease("a");

    assertThat(lease.publishBurst(List.of("t", "t", "u"))).isNull();
    assertThat(lease.publishBurst(List.of("t", "t", "t")).key())
        .isEqualTo("limits.topic-publish-rate");
    assertThat(lease.publishBurst(List.of("t", "u", "v", "w")).key())
        .isEqualTo("limits.per-node.publish-rate");
    assertThat(lease.publishBurst(List.of("t", "u", "v", "w", "x")).key())
        .isEqualTo("limits.per-address.publish-rate");
    assertThat(lease.publishBurst(List.of())).isNull();
    assertThat(lease.publish("t")).as("none was counted").isNull();
  }

  @Test
  void shouldNotChargeTheNodeForAPublishThatATopicRejects() {
    limit(
        UNLIMITED
            .with(LimitSettings.TOPIC_PUBLISH_RATE, 1)
            .with(LimitSettings.NODE_PUBLISH_RATE, 2));
    Lease lease = lease("a");
    assertThat(lease.publish("t")).isNull();
    for (int more = 0; more < 10; more++) {
      assertThat(lease.publish("t").key()).isEqualTo("limits.topic-publish-rate");
    }
    assertThat(lease.publish("u")).isNull();
  }

  @Test
  void shouldBoundADefaultByHalfOfTheNodesLimit() {
    QuotaLimits small =
        QuotaLimits.ofAddress(
            Config.defaults()
                .with(LimitSettings.TOPICS, 10)
                .with(LimitSettings.CONNECTIONS, 1)
                .with(LimitSettings.ADDRESS_SUBSCRIPTIONS, 7)
                .with(LimitSettings.NODE_SUBSCRIPTIONS, 7));
    assertThat(small.topics().max()).isEqualTo(5);
    assertThat(small.connections().max()).isEqualTo(1);
    assertThat(small.subscriptions().max()).isEqualTo(7); // as configured
    assertThat(QuotaLimits.ofPrincipal(Config.defaults()).topics().max()).isEqualTo(2_000);
  }

  @Test
  void shouldLimitConsumersByPrincipalAddressAndNode() {
    limit(
        UNLIMITED
            .with(LimitSettings.PRINCIPAL_CONSUMERS, 1)
            .with(LimitSettings.ADDRESS_CONSUMERS, 2)
            .with(LimitSettings.NODE_CONSUMERS, 3));
    Lease ann = lease("a", "ann");
    Lease bob = lease("a", "bob");
    assertThat(ann.acquireConsumer()).isNull();
    assertThat(ann.acquireConsumer().problem())
        .isEqualTo("number of consumers exceeds limits.per-principal.consumers (1)");
    assertThat(bob.acquireConsumer()).isNull();
    assertThat(key(lease("a", "eve").acquireConsumer())).isEqualTo("limits.per-address.consumers");
    assertThat(lease("b", "eve").acquireConsumer()).isNull();
    assertThat(key(lease("c", "joe").acquireConsumer())).isEqualTo("limits.per-node.consumers");
    // The rejected consumers are not counted for their principals and addresses.
    ann.releaseConsumer();
    assertThat(lease("c", "joe").acquireConsumer()).isNull();
  }
}
