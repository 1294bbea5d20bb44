package io.sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.auth.Principal.Mechanism;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class PrincipalSharesTest {
  private static final Principal ALICE = principal("alice", Mechanism.JWT);

  private final Exposition exposition = new Exposition("shares-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  private static Principal principal(String name, Mechanism mechanism) {
    return new Principal(name, mechanism, "", 0, Principal.NEVER, Map.of());
  }

  private <T> PrincipalShares with(Setting<T> limit, T value) {
    return new PrincipalShares(Config.defaults().with(limit, value), metrics);
  }

  @Test
  void shouldBoundTheConnectionsOfOnePrincipal() {
    PrincipalShares shares = with(Settings.LIMIT_PRINCIPAL_CONNECTIONS, 2);
    PrincipalShare first = shares.enter(ALICE);
    assertThat(shares.enter(ALICE)).isSameAs(first);
    assertThat(shares.enter(ALICE)).isNull();
    assertThat(shares.enter(principal("alice", Mechanism.CERTIFICATE))).isNotNull();
    shares.leave(first);
    assertThat(shares.enter(ALICE)).isSameAs(first);
  }

  @Test
  void shouldBoundItsSubscriptions() {
    PrincipalShares shares = with(Settings.LIMIT_PRINCIPAL_SUBSCRIPTIONS, 2);
    PrincipalShare share = shares.enter(ALICE);
    assertThat(shares.subscribeProblem(share)).isNull();
    assertThat(shares.subscribeProblem(share)).isNull();
    assertThat(shares.subscribeProblem(share)).contains("2, as many as they are allowed");
    share.subscriptions().decrementAndGet();
    assertThat(shares.subscribeProblem(share)).isNull();
  }

  @Test
  void shouldBoundItsPublishesAlsoOverItsNextConnection() {
    PrincipalShares shares = with(Settings.LIMIT_PRINCIPAL_PUBLISH_RATE, 1);
    PrincipalShare share = shares.enter(ALICE);
    assertThat(shares.publishProblem(share, 10)).isNull();
    shares.leave(share);
    assertThat(shares.publishProblem(shares.enter(ALICE), 10)).contains("over 1 publishes");
  }

  @Test
  void shouldBoundTheBytesOfItsPublishes() {
    PrincipalShares shares = with(Settings.LIMIT_PRINCIPAL_PUBLISH_BYTES, 1L << 30);
    PrincipalShare share = shares.enter(ALICE);
    assertThat(shares.publishProblem(share, 1L << 30)).isNull();
    assertThat(shares.publishProblem(share, 1L << 30)).contains("bytes a second");
  }

  @Test
  void shouldCountNobodyWithoutACredentialAndNobodyWithoutALimit() {
    assertThat(with(Settings.LIMIT_PRINCIPAL_CONNECTIONS, 1).count(Principal.ANONYMOUS)).isFalse();
    assertThat(with(Settings.LIMIT_PRINCIPAL_CONNECTIONS, 1).count(ALICE)).isTrue();
    assertThat(with(Settings.LIMIT_PRINCIPAL_CONNECTIONS, 0).count(ALICE)).isFalse();
  }
}
