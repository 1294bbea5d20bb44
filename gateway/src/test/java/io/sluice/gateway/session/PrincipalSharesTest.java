package io.sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.auth.Principal.Mechanism;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.Setting;
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

  private PrincipalShares with(Setting<Integer> limit, int value) {
    return new PrincipalShares(Config.defaults().with(limit, value), metrics);
  }

  @Test
  void shouldBoundTheConnectionsOfOnePrincipal() {
    PrincipalShares shares = with(LimitSettings.PRINCIPAL_CONNECTIONS, 2);
    ClientShare first = shares.enter(ALICE);
    assertThat(shares.enter(ALICE)).isSameAs(first);
    assertThat(shares.enter(ALICE)).isNull();
    assertThat(shares.enter(principal("alice", Mechanism.CERTIFICATE))).isNotNull();
    shares.leave(first);
    assertThat(shares.enter(ALICE)).isSameAs(first);
  }

  @Test
  void shouldBoundHowFastOnePrincipalComes() {
    PrincipalShares shares = with(LimitSettings.PRINCIPAL_HANDSHAKE_RATE, 2);
    shares.leave(shares.enter(ALICE));
    shares.leave(shares.enter(ALICE));
    assertThat(shares.enter(ALICE)).isNull();
    assertThat(shares.enter(principal("bob", Mechanism.JWT))).isNotNull();
  }

  @Test
  void shouldRememberWhatWasUsedUntilTheNextConnection() {
    PrincipalShares shares = with(LimitSettings.PRINCIPAL_PUBLISH_RATE, 1);
    ClientShare share = shares.enter(ALICE);
    assertThat(share.publishProblem(10)).isNull();
    shares.leave(share);
    assertThat(shares.enter(ALICE).publishProblem(10)).contains("over 1 publishes");
  }

  @Test
  void shouldCountNobodyWithoutACredentialAndNobodyWithoutALimit() {
    PrincipalShares limited = with(LimitSettings.PRINCIPAL_CONNECTIONS, 1);
    assertThat(limited.enter(Principal.ANONYMOUS)).isSameAs(ClientShare.UNCOUNTED);
    assertThat(limited.enter(ALICE)).isNotSameAs(ClientShare.UNCOUNTED);
    PrincipalShares unlimited = with(LimitSettings.PRINCIPAL_CONNECTIONS, 0);
    assertThat(unlimited.enter(ALICE)).isSameAs(ClientShare.UNCOUNTED);
  }
}
