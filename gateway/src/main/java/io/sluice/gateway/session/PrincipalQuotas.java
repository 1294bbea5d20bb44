package io.sluice.gateway.session;

import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.limits.Quota;
import io.sluice.gateway.limits.QuotaRegistry;
import io.sluice.gateway.metrics.GatewayMetrics;

/** Quotas of principals, each over all sessions of one. For any thread. */
public final class PrincipalQuotas {
  private final QuotaRegistry quotas;

  PrincipalQuotas(Config config, GatewayMetrics metrics) {
    this.quotas = QuotaRegistry.ofPrincipals(config, metrics);
  }

  /**
   * Counts a session until {@link #leave}. Clients without a credential are not counted: they
   * cannot be told apart.
   *
   * @return its quota, {@link Quota#UNCOUNTED} where it is not counted, or null if a limit of
   *     connections or handshakes is reached
   */
  Quota enter(Principal principal) {
    if (!quotas.isLimited() || principal.isSameAs(Principal.ANONYMOUS)) {
      return Quota.UNCOUNTED;
    }
    String name = principal.mechanism().word() + " " + principal.name();
    Quota quota = quotas.enter(name);
    // Last, because a rejected session does not count as a handshake.
    if (quota == null || quotas.takeHandshake(name)) {
      return quota;
    }
    quotas.leave(quota);
    return null;
  }

  void leave(Quota quota) {
    quotas.leave(quota);
  }

  /** Removes unused quotas; not for event loops. */
  public void sweep() {
    quotas.sweep();
  }
}
