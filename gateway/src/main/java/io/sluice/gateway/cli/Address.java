package io.sluice.gateway.cli;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import java.util.Set;

/** Formatter of addresses for people. Stateless, for any thread. */
final class Address {
  private static final Set<String> ANY = Set.of("0.0.0.0", "::", "0:0:0:0:0:0:0:0");

  private Address() {}

  /** Returns the scheme for clients: the plain one, http or ws, or the one with TLS. */
  static String scheme(Config config, String plain) {
    return config.get(ServerSettings.TLS_CERTIFICATE).isEmpty() ? plain : plain + "s";
  }

  /** Returns a host for URLs: a wildcard address becomes localhost, IPv6 gets brackets. */
  static String urlHost(String host) {
    if (ANY.contains(host)) {
      return "localhost";
    }
    return host.contains(":") ? "[" + host + "]" : host;
  }
}
