package io.sluice.gateway.cli;

import java.util.Set;

/** How an address is shown. Stateless, for any thread. */
final class Address {
  private static final Set<String> ANY = Set.of("0.0.0.0", "::", "0:0:0:0:0:0:0:0");

  private Address() {}

  /** A host that can be put into a browser: any address becomes localhost, IPv6 gets brackets. */
  static String forPeople(String host) {
    if (ANY.contains(host)) {
      return "localhost";
    }
    return host.contains(":") ? "[" + host + "]" : host;
  }
}
