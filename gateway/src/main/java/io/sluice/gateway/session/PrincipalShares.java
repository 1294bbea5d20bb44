package io.sluice.gateway.session;

import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.metrics.GatewayMetrics;

/** How much of the node each principal has over all its sessions. For any thread. */
public final class PrincipalShares {
  private final GatewayMetrics metrics;
  private final int mostConnections;
  private final int mostSubscriptions;
  private final int publishRate;
  private final long publishBytes;
  private final Shares<PrincipalShare> shares;

  PrincipalShares(Config config, GatewayMetrics metrics) {
    this.metrics = metrics;
    this.mostConnections = config.get(Settings.LIMIT_PRINCIPAL_CONNECTIONS);
    this.mostSubscriptions = config.get(Settings.LIMIT_PRINCIPAL_SUBSCRIPTIONS);
    this.publishRate = config.get(Settings.LIMIT_PRINCIPAL_PUBLISH_RATE);
    this.publishBytes = config.get(Settings.LIMIT_PRINCIPAL_PUBLISH_BYTES);
    // As many as can be connected at once: the others only rest.
    this.shares =
        new Shares<>(
            this::newShare,
            config.get(Settings.LIMIT_CONNECTIONS),
            () -> metrics.limitReached(Settings.LIMIT_CONNECTIONS.key()));
  }

  private PrincipalShare newShare(String name) {
    long nowNs = System.nanoTime();
    return new PrincipalShare(
        name, SharedBudget.of(publishRate, nowNs), SharedBudget.of(publishBytes, nowNs));
  }

  /**
   * Whether somebody's sessions are counted: only those who show who they are can be told apart.
   */
  boolean count(Principal principal) {
    boolean limited =
        mostConnections > 0 || mostSubscriptions > 0 || publishRate > 0 || publishBytes > 0;
    return limited && !principal.isSameAs(Principal.ANONYMOUS);
  }

  /** Counts a session, until {@link #leave}; null if it is one too many. */
  PrincipalShare enter(Principal principal) {
    PrincipalShare share = shares.enter(principal.mechanism().word() + " " + principal.name());
    if (mostConnections == 0 || share.holders() <= mostConnections) {
      return share;
    }
    shares.leave(share);
    metrics.limitReached(Settings.LIMIT_PRINCIPAL_CONNECTIONS.key());
    return null;
  }

  void leave(PrincipalShare share) {
    shares.leave(share);
  }

  /** Why a principal may not subscribe to one more just now, or null: then it is counted. */
  String subscribeProblem(PrincipalShare share) {
    int now = share.subscriptions().incrementAndGet();
    if (mostSubscriptions == 0 || now <= mostSubscriptions) {
      return null;
    }
    share.subscriptions().decrementAndGet();
    metrics.limitReached(Settings.LIMIT_PRINCIPAL_SUBSCRIPTIONS.key());
    return "all sessions of this client together have "
        + mostSubscriptions
        + ", as many as they are allowed";
  }

  /** Why a principal may not publish so many bytes just now, or null: then it is counted. */
  String publishProblem(PrincipalShare share, long bytes) {
    long nowNs = System.nanoTime();
    if (share.publishes() != null && !share.publishes().take(1, nowNs)) {
      return over(publishRate + " publishes", Settings.LIMIT_PRINCIPAL_PUBLISH_RATE);
    }
    if (share.publishBytes() != null && !share.publishBytes().take(bytes, nowNs)) {
      return over(publishBytes + " bytes", Settings.LIMIT_PRINCIPAL_PUBLISH_BYTES);
    }
    return null;
  }

  private String over(String much, Setting<?> limit) {
    metrics.limitReached(limit.key());
    return "all sessions of this client together are over " + much + " a second";
  }

  /** Forgets those that have gone; not on an event loop. */
  public void sweep() {
    shares.sweep();
  }
}
