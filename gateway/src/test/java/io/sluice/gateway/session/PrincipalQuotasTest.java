package io.sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.auth.Principal.Mechanism;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.limits.Quota;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class PrincipalQuotasTest {
  private static final Principal ALICE = principal("alice", Mechanism.JWT);

  private final Exposition exposition = new Exposition("quotas-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  private static Principal principal(String name, Mechanism mechanism) {
    return new Principal(name, mechanism, "", 0, Principal.NEVER, Map.of());
  }

  private PrincipalQuotas with(Setting<Integer> limit, int value) {
    return new PrincipalQuotas(Config.defaults().with(limit, value), metrics);
  }

  @Test
  void shouldBoundTheConnectionsOfOnePrincipal() {
    PrincipalQuotas quotas = with(LimitSettings.PRINCIPAL_CONNECTIONS, 2);
    Quota first = quotas.enter(ALICE);
    assertThat(quotas.enter(ALICE)).isSameAs(first);
    assertThat(quotas.enter(ALICE)).isNull();
    assertThat(quotas.enter(principal("alice", Mechanism.CERTIFICATE))).isNotNull();
    quotas.leave(first);
    assertThat(quotas.enter(ALICE)).isSameAs(first);
  }

  @Test
  void shouldBoundHowFastOnePrincipalComes() {
    PrincipalQuotas quotas = with(LimitSettings.PRINCIPAL_HANDSHAKE_RATE, 2);
    quotas.leave(quotas.enter(ALICE));
    quotas.leave(quotas.enter(ALICE));
    assertThat(quotas.enter(ALICE)).isNull();
    assertThat(quotas.enter(principal("bob", Mechanism.JWT))).isNotNull();
  }

  @Test
  void shouldRememberWhatWasUsedUntilTheNextConnection() {
    PrincipalQuotas quotas = with(LimitSettings.PRINCIPAL_PUBLISH_RATE, 1);
    Quota quota = quotas.enter(ALICE);
    assertThat(quota.publishProblem(10)).isNull();
    quotas.leave(quota);
    assertThat(quotas.enter(ALICE).publishProblem(10))
        .contains("limits.principal.publish-rate (1/s)");
  }

  @Test
  void shouldCountNobodyWithoutACredentialAndNobodyWithoutALimit() {
    PrincipalQuotas limited = with(LimitSettings.PRINCIPAL_CONNECTIONS, 1);
    assertThat(limited.enter(Principal.ANONYMOUS)).isSameAs(Quota.UNCOUNTED);
    assertThat(limited.enter(ALICE)).isNotSameAs(Quota.UNCOUNTED);
    PrincipalQuotas unlimited = with(LimitSettings.PRINCIPAL_CONNECTIONS, 0);
    assertThat(unlimited.enter(ALICE)).isSameAs(Quota.UNCOUNTED);
  }
}
