package io.sluice.gateway.admission;

import io.netty.channel.Channel;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Quota for pending handshakes per client address, equal to its quota for connections. For any
 * thread.
 *
 * <p>Without it, silent connections of one address could fill {@link PendingHandshakes}. They are
 * counted apart from {@link AddressQuotas}, or a client past its share would be cut and not be told
 * why. There are never more addresses here than half-open connections.
 */
public final class HandshakeQuota {
  /** Of all connections that nobody has to count. */
  private static final String UNCOUNTED = "";

  private final Map<String, Integer> taken = new ConcurrentHashMap<>();
  private final ClientAddresses addresses;
  private final GatewayMetrics metrics;
  private final int most;

  public HandshakeQuota(Config config, GatewayMetrics metrics) {
    this.addresses = new ClientAddresses(config);
    this.metrics = metrics;
    this.most = config.get(LimitSettings.ADDRESS_CONNECTIONS);
  }

  /**
   * Takes a place for a connection whose nearest address is known.
   *
   * @return what to {@link #giveBack} once, or null if its address has no place left
   */
  String take(Channel channel) {
    Optional<String> address = most == 0 ? Optional.empty() : addresses.certain(channel);
    return address.isEmpty() ? UNCOUNTED : take(AddressQuotas.name(address.get()));
  }

  private String take(String name) {
    if (taken.merge(name, 1, Integer::sum) <= most) {
      return name;
    }
    giveBack(name);
    metrics.limitReached(LimitSettings.ADDRESS_CONNECTIONS.key());
    return null;
  }

  void giveBack(String place) {
    if (!place.equals(UNCOUNTED)) {
      taken.computeIfPresent(place, (name, count) -> count == 1 ? null : count - 1);
    }
  }

  /** How many addresses are counted. */
  int size() {
    return taken.size();
  }
}
