package io.sluice.gateway.admission;

import io.netty.util.NetUtil;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.session.ClientShare;
import io.sluice.gateway.session.ClientShares;
import java.util.Arrays;

/** How much of the node each address has. For any thread. */
public final class AddressShares {
  /** Who has an address of IPv6 has a whole network of so many bytes' prefix. */
  private static final int NETWORK_BYTES = 8;

  private final ClientShares shares;

  AddressShares(Config config, GatewayMetrics metrics) {
    this.shares = ClientShares.ofAddresses(config, metrics);
  }

  /** Whether handshakes are counted. */
  public boolean hasRate() {
    return shares.haveHandshakeRate();
  }

  /** Counts a connection that has said nothing yet for the handshake that it may become. */
  AdmissionCheck.Verdict open(String address) {
    ClientShare share = shares.of(name(address));
    if (!share.takeOpening()) {
      return AdmissionCheck.Verdict.REFUSED;
    }
    return share.takeHandshakeIfAny()
        ? AdmissionCheck.Verdict.COUNTED
        : AdmissionCheck.Verdict.UNKNOWN;
  }

  /** Counts a handshake; false if it is one too many for now. */
  public boolean takeHandshake(String address) {
    return shares.takeHandshake(name(address));
  }

  /** Whether a connection more would not be one too many, as things are. */
  boolean hasRoom(String address) {
    return shares.hasRoom(name(address));
  }

  /** Counts a connection, until {@link #leave}; null if it is one too many. */
  public ClientShare enter(String address) {
    return shares.enter(name(address));
  }

  public void leave(ClientShare share) {
    shares.leave(share);
  }

  /** Forgets those that have gone; not on an event loop. */
  public void sweep() {
    shares.sweep();
  }

  int size() {
    return shares.size();
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
