package io.sluice.gateway.cli;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import java.util.Set;

/** How an address is shown. Stateless, for any thread. */
final class Address {
  private static final Set<String> ANY = Set.of("0.0.0.0", "::", "0:0:0:0:0:0:0:0");

  private Address() {}

  /** The scheme in which clients connect: the plain one, http or ws, or that with TLS. */
  static String scheme(Config config, String plain) {
    return config.get(ServerSettings.TLS_CERTIFICATE).isEmpty() ? plain : plain + "s";
  }

  /** A host that can be put into a browser: any address becomes localhost, IPv6 gets brackets. */
  static String forPeople(String host) {
    if (ANY.contains(host)) {
      return "localhost";
    }
    return host.contains(":") ? "[" + host + "]" : host;
  }
}
