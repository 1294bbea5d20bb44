package io.sluice.gateway.session;

import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.metrics.GatewayMetrics;

/** How much of the node each principal has over all its sessions. For any thread. */
public final class PrincipalShares {
  private final ShareLimits limits;
  private final ClientShares shares;

  PrincipalShares(Config config, GatewayMetrics metrics) {
    this.limits = ShareLimits.ofPrincipal(config);
    // As many as can be connected at once: the others only rest.
    this.shares = new ClientShares(limits, config, LimitSettings.CONNECTIONS, metrics);
  }

  /**
   * Counts a session, until {@link #leave}. Those who do not show who they are can't be told apart,
   * so they are not counted.
   *
   * @return its share, {@link ClientShare#UNCOUNTED} where it is not counted, or null if it is one
   *     too many, or comes too soon
   */
  ClientShare enter(Principal principal) {
    if (!limits.bind() || principal.isSameAs(Principal.ANONYMOUS)) {
      return ClientShare.UNCOUNTED;
    }
    String name = principal.mechanism().word() + " " + principal.name();
    ClientShare share = shares.enter(name);
    // Last, because what is refused anyway does not count.
    if (share == null || shares.takeHandshake(name)) {
      return share;
    }
    shares.leave(share);
    return null;
  }

  void leave(ClientShare share) {
    shares.leave(share);
  }

  /** Forgets those that have gone; not on an event loop. */
  public void sweep() {
    shares.sweep();
  }
}
