package io.sluice.gateway.transport;

import io.netty.util.NetUtil;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.session.SharedBudget;
import io.sluice.gateway.session.Shares;
import java.util.Arrays;

/** How much of the node each address has. For any thread. */
final class AddressShares {
  /** Who has an address of IPv6 has a whole network of so many bytes' prefix. */
  private static final int NETWORK_BYTES = 8;

  private final Shares<AddressShare> shares;
  private final GatewayMetrics metrics;
  private final int mostConnections;
  private final int handshakeRate;

  AddressShares(Config config, GatewayMetrics metrics) {
    this.metrics = metrics;
    this.mostConnections = config.get(Settings.LIMIT_ADDRESS_CONNECTIONS);
    this.handshakeRate = config.get(Settings.LIMIT_ADDRESS_HANDSHAKE_RATE);
    this.shares =
        new Shares<>(
            this::newShare,
            config.get(Settings.LIMIT_ADDRESSES),
            () -> metrics.limitReached(Settings.LIMIT_ADDRESSES.key()));
  }

  private AddressShare newShare(String name) {
    return new AddressShare(name, SharedBudget.of(handshakeRate, System.nanoTime()));
  }

  /** Counts a handshake; false if it is one too many for now. */
  boolean takeHandshake(String address) {
    boolean taken = handshakeRate == 0 || shares.of(name(address)).takeHandshake(System.nanoTime());
    if (!taken) {
      metrics.limitReached(Settings.LIMIT_ADDRESS_HANDSHAKE_RATE.key());
    }
    return taken;
  }

  /** Counts a connection, until {@link #leave}; null if it is one too many. */
  AddressShare enter(String address) {
    AddressShare share = shares.enter(name(address));
    if (mostConnections == 0 || share.holders() <= mostConnections) {
      return share;
    }
    shares.leave(share);
    metrics.limitReached(Settings.LIMIT_ADDRESS_CONNECTIONS.key());
    return null;
  }

  void leave(AddressShare share) {
    shares.leave(share);
  }

  /** Forgets those that have gone; not on an event loop. */
  void sweep() {
    shares.sweep();
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
