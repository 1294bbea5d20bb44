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

  /** How many connections may come for each handshake, so that whoever tries again is told why. */
  private static final long OPENINGS = 10;

  private final Shares<AddressShare> shares;
  private final GatewayMetrics metrics;
  private final int mostConnections;
  private final int handshakeRate;

  /** Of all connections where there is no limit to hold them to. */
  private final AddressShare uncounted = new AddressShare("", null, null);

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
    long nowNs = System.nanoTime();
    return new AddressShare(
        name,
        SharedBudget.of(handshakeRate, nowNs),
        SharedBudget.of(OPENINGS * handshakeRate, nowNs));
  }

  /** Whether handshakes are counted. */
  boolean hasRate() {
    return handshakeRate > 0;
  }

  /** Counts a connection that has said nothing yet for the handshake that it may become. */
  Gate.Verdict open(String address) {
    AddressShare share = shares.of(name(address));
    long nowNs = System.nanoTime();
    if (!share.takeOpening(nowNs)) {
      metrics.limitReached(Settings.LIMIT_ADDRESS_HANDSHAKE_RATE.key());
      return Gate.Verdict.REFUSED;
    }
    return share.takeHandshake(nowNs) ? Gate.Verdict.COUNTED : Gate.Verdict.UNKNOWN;
  }

  /** Counts a handshake; false if it is one too many for now. */
  boolean takeHandshake(String address) {
    boolean taken = handshakeRate == 0 || shares.of(name(address)).takeHandshake(System.nanoTime());
    if (!taken) {
      metrics.limitReached(Settings.LIMIT_ADDRESS_HANDSHAKE_RATE.key());
    }
    return taken;
  }

  /** Whether a connection more would not be one too many, as things are. */
  boolean hasRoom(String address) {
    return mostConnections == 0
        || shares.holders(name(address)) < mostConnections
        || onTooManyConnections();
  }

  private boolean onTooManyConnections() {
    metrics.limitReached(Settings.LIMIT_ADDRESS_CONNECTIONS.key());
    return false;
  }

  /** Counts a connection, until {@link #leave}; null if it is one too many. */
  AddressShare enter(String address) {
    if (mostConnections == 0) {
      return uncounted;
    }
    AddressShare share = shares.enter(name(address));
    if (share.holders() <= mostConnections) {
      return share;
    }
    shares.leave(share);
    onTooManyConnections();
    return null;
  }

  void leave(AddressShare share) {
    if (share != uncounted) {
      shares.leave(share);
    }
  }

  /** Forgets those that have gone; not on an event loop. */
  void sweep() {
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
