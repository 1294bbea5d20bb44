package io.sluice.gateway.admission;

import io.netty.util.NetUtil;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.limits.Quota;
import io.sluice.gateway.limits.QuotaRegistry;
import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.Arrays;

/** Quotas of client addresses; IPv6 clients are limited per /64. For any thread. */
public final class AddressQuotas {
  private static final int NETWORK_BYTES = 8;

  private final QuotaRegistry quotas;

  AddressQuotas(Config config, GatewayMetrics metrics) {
    this.quotas = QuotaRegistry.ofAddresses(config, metrics);
  }

  /** Whether handshakes are counted. */
  public boolean hasRate() {
    return quotas.hasHandshakeRate();
  }

  /** Counts a connection that has said nothing yet for the handshake that it may become. */
  AdmissionCheck.Verdict open(String address) {
    Quota quota = quotas.of(name(address));
    if (!quota.takeOpening()) {
      return AdmissionCheck.Verdict.REFUSED;
    }
    return quota.takeHandshakeIfAny()
        ? AdmissionCheck.Verdict.COUNTED
        : AdmissionCheck.Verdict.UNKNOWN;
  }

  /** Counts a handshake; false if it is one too many for now. */
  public boolean takeHandshake(String address) {
    return quotas.takeHandshake(name(address));
  }

  /** Whether a connection more would not be one too many, as things are. */
  boolean hasRoom(String address) {
    return quotas.hasRoom(name(address));
  }

  /** Counts a connection, until {@link #leave}; null if it is one too many. */
  public Quota enter(String address) {
    return quotas.enter(name(address));
  }

  public void leave(Quota quota) {
    quotas.leave(quota);
  }

  /** Forgets those that have gone; not on an event loop. */
  public void sweep() {
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
