package io.sluice.gateway.admission;

import io.netty.util.NetUtil;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.socket.AcceptedConnection;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Resolver of client addresses behind trusted proxies. Immutable, for any thread. */
public final class ClientAddresses {
  private static final String NONE = "none";
  private static final String FORWARDED = "forwarded";

  private final List<AddressRange> trusted;
  private final String header;

  /**
   * Trusted proxies.
   *
   * @param trusted addresses of the proxies
   * @param header in which they forward the client's address, or {@code none}
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

  /**
   * Returns the address of the client that sent a request; IPv6 in the format of RFC 5952.
   *
   * @param headers the values of all lines of a header, by its name in any case
   */
  public String of(AcceptedConnection connection, Function<String, List<String>> headers) {
    InetAddress nearest = connection.source();
    InetAddress client = header.equals(NONE) ? nearest : resolve(nearest, headers.apply(header));
    return NetUtil.toAddressString(client);
  }

  /**
   * Returns whether a request's address is that of a trusted proxy. Such a request is the proxy's
   * own: it forwards no client address.
   */
  public boolean isTrustedProxy(String address) {
    return AddressRange.address(address)
        .filter(parsed -> AddressRange.anyContains(trusted, parsed))
        .isPresent();
  }

  /**
   * Returns the address of a client before its first request. Empty if the nearest address is that
   * of a trusted proxy, whose requests may forward another address.
   */
  Optional<String> beforeRequest(AcceptedConnection connection) {
    InetAddress nearest = connection.source();
    return AddressRange.anyContains(trusted, nearest)
        ? Optional.empty()
        : Optional.of(NetUtil.toAddressString(nearest));
  }

  /**
   * Returns the nearest address that is not trusted, or the farthest valid one.
   *
   * @param nearest address of the sender of the header
   * @param lines the header's values
   */
  InetAddress resolve(InetAddress nearest, List<String> lines) {
    ForwardedHops hops = new ForwardedHops(header.equals(FORWARDED), lines);
    InetAddress client = nearest;
    while (AddressRange.anyContains(trusted, client) && hops.hasNext()) {
      Optional<InetAddress> next = hops.next();
      if (next.isEmpty()) {
        return client;
      }
      client = next.get();
    }
    return client;
  }
}
