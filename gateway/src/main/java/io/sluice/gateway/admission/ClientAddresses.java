package io.sluice.gateway.admission;

import io.netty.channel.Channel;
import io.netty.util.NetUtil;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.socket.SocketHandover;
import io.sluice.gateway.socket.SourceAddress;
import io.vertx.core.http.HttpServerRequest;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Finds out where clients come from, behind proxies that are trusted. Immutable, for any thread.
 */
public final class ClientAddresses {
  private static final int NETWORK_BYTES = 8;
  private static final String NONE = "none";
  private static final String FORWARDED = "forwarded";

  private final List<AddressRange> trusted;
  private final String header;

  /**
   * Trusted proxies.
   *
   * @param trusted addresses of the proxies
   * @param header in which they name the client, or {@code none}
   */
  public record Options(List<AddressRange> trusted, String header) {
    /** Returns the options of a configuration. */
    public static Options of(Config config) {
      return new Options(
          AddressRange.listOf(config, ServerSettings.TRUSTED_PROXIES),
          config.get(ServerSettings.FORWARDED_HEADER));
    }
  }

  public ClientAddresses(Options options) {
    this.trusted = options.trusted();
    this.header = options.header();
  }

  /** The address of the client that has sent a request; of IPv6 as RFC 5952 writes it. */
  public String of(HttpServerRequest request) {
    InetAddress nearest = SourceAddress.of(SocketHandover.channel(request.connection()));
    InetAddress client =
        header.equals(NONE) ? nearest : behind(nearest, request.headers().getAll(header));
    return NetUtil.toAddressString(client);
  }

  /** Whether a request's address is that of a proxy that is trusted, which names no client. */
  public boolean isProxy(String address) {
    return AddressRange.address(address)
        .filter(known -> AddressRange.anyContains(trusted, known))
        .isPresent();
  }

  /**
   * The address of a client that has asked for nothing yet; empty where what it asks may still name
   * another, or where it is a proxy's own.
   */
  Optional<String> certain(Channel channel) {
    InetAddress nearest = SourceAddress.of(channel);
    return AddressRange.anyContains(trusted, nearest)
        ? Optional.empty()
        : Optional.of(NetUtil.toAddressString(nearest));
  }

  /** Returns the name under which an address is counted: IPv6 clients are limited per /64. */
  static String name(String address) {
    if (address.indexOf(':') < 0) {
      return address;
    }
    byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address);
    Arrays.fill(bytes, NETWORK_BYTES, bytes.length, (byte) 0);
    return NetUtil.bytesToIpAddress(bytes) + "/64";
  }

  /**
   * The nearest address that is not trusted, or the farthest of those that are known.
   *
   * @param nearest who has sent the header
   * @param lines the header's values
   */
  InetAddress behind(InetAddress nearest, List<String> lines) {
    ForwardedHops hops = new ForwardedHops(header.equals(FORWARDED), lines);
    InetAddress known = nearest;
    while (AddressRange.anyContains(trusted, known) && hops.hasNext()) {
      Optional<InetAddress> next = hops.next();
      if (next.isEmpty()) {
        return known;
      }
      known = next.get();
    }
    return known;
  }
}
