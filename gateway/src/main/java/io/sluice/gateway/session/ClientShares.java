package io.sluice.gateway.session;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.metrics.GatewayMetrics;

/** The shares of clients that belong together, by a name that they have in common. Any thread. */
public final class ClientShares {
  private final ShareLimits limits;
  private final GatewayMetrics metrics;
  private final Shares<ClientShare> shares;

  /**
   * @param limits of each
   * @param most how many there may be; the key of the setting goes to the metrics
   */
  public ClientShares(
      ShareLimits limits, Config config, Setting<Integer> most, GatewayMetrics metrics) {
    this.limits = limits;
    this.metrics = metrics;
    this.shares =
        new Shares<>(
            name -> new ClientShare(name, limits, metrics),
            config.get(most),
            () -> metrics.limitReached(most.key()));
  }

  /** Those of addresses. */
  public static ClientShares ofAddresses(Config config, GatewayMetrics metrics) {
    return new ClientShares(
        ShareLimits.ofAddress(config), config, LimitSettings.ADDRESSES, metrics);
  }

  /**
   * Counts a handshake of a client that has no session yet; false if it is one too many for now.
   */
  public boolean takeHandshake(String name) {
    return !haveHandshakeRate() || shares.of(name).takeHandshake();
  }

  /** Whether handshakes are counted. */
  public boolean haveHandshakeRate() {
    return limits.handshakes().isSet();
  }

  /** The share of a name, without a session. */
  public ClientShare of(String name) {
    return shares.of(name);
  }

  /** Whether a session more would not be one too many, as things are. */
  public boolean hasRoom(String name) {
    return !limits.connections().isSet() || allows(shares.holders(name) + 1);
  }

  /**
   * Counts a session, until {@link #leave}.
   *
   * @return its share, {@link ClientShare#UNCOUNTED} where there is no limit to hold it to, or null
   *     if it is one too many
   */
  public ClientShare enter(String name) {
    if (!limits.bindSessions()) {
      return ClientShare.UNCOUNTED;
    }
    ClientShare share = shares.enter(name);
    if (allows(share.holders())) {
      return share;
    }
    shares.leave(share);
    return null;
  }

  private boolean allows(int connections) {
    boolean allowed = limits.connections().allows(connections);
    if (!allowed) {
      metrics.limitReached(limits.connections().key());
    }
    return allowed;
  }

  /** Counts a session less. */
  public void leave(ClientShare share) {
    if (share != ClientShare.UNCOUNTED) {
      shares.leave(share);
    }
  }

  /** Forgets those that have gone and rested; not on an event loop. */
  public void sweep() {
    shares.sweep();
  }

  /** How many there are. */
  public int size() {
    return shares.size();
  }
}
