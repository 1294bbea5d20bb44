package io.sluice.gateway.cli.command;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import java.util.Set;

/** Formatter of addresses for people. Stateless, for any thread. */
public final class Address {
  private static final Set<String> ANY = Set.of("0.0.0.0", "::", "0:0:0:0:0:0:0:0");

  private Address() {}

  /** Returns the scheme for clients: the plain one, http or ws, or the one with TLS. */
  public static String scheme(Config config, String plain) {
    return config.get(ServerSettings.TLS_CERTIFICATE).isEmpty() ? plain : plain + "s";
  }

  /** Returns a host for URLs: a wildcard address becomes localhost, IPv6 gets brackets. */
  public static String urlHost(String host) {
    if (ANY.contains(host)) {
      return "localhost";
    }
    return host.contains(":") ? "[" + host + "]" : host;
  }
}
