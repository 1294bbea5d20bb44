package io.sluice.gateway.transport;

import io.netty.util.NetUtil;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.limits.Quota;
import io.sluice.gateway.limits.QuotaRegistry;
import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.Arrays;

/** Quotas of client addresses; IPv6 clients are limited per /64. For any thread. */
final class AddressShares {
  private static final int NETWORK_BYTES = 8;

  private final QuotaRegistry quotas;

  AddressShares(Config config, GatewayMetrics metrics) {
    this.quotas = QuotaRegistry.ofAddresses(config, metrics);
  }

  /** Whether handshakes are counted. */
  boolean hasRate() {
    return quotas.hasHandshakeRate();
  }

  /** Counts a connection that has said nothing yet for the handshake that it may become. */
  Gate.Verdict open(String address) {
    Quota quota = quotas.of(name(address));
    if (!quota.takeOpening()) {
      return Gate.Verdict.REFUSED;
    }
    return quota.takeHandshakeIfAny() ? Gate.Verdict.COUNTED : Gate.Verdict.UNKNOWN;
  }

  /** Counts a handshake; false if it is one too many for now. */
  boolean takeHandshake(String address) {
    return quotas.takeHandshake(name(address));
  }

  /** Whether a connection more would not be one too many, as things are. */
  boolean hasRoom(String address) {
    return quotas.hasRoom(name(address));
  }

  /** Counts a connection, until {@link #leave}; null if it is one too many. */
  Quota enter(String address) {
    return quotas.enter(name(address));
  }

  void leave(Quota quota) {
    quotas.leave(quota);
  }

  /** Forgets those that have gone; not on an event loop. */
  void sweep() {
    quotas.sweep();
  }

  int size() {
    return quotas.size();
  }

  static String name(String address) {
    if (address.indexOf(':') < 0) {
      return address;
    }
    byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address);
    Arrays.fill(bytes, NETWORK_BYTES, bytes.length, (byte) 0);
    return NetUtil.bytesToIpAddress(bytes) + "/64";
  }
}
