package io.sluice.gateway.hosts;

import io.sluice.gateway.hosts.Network.Side;

/**
 * Networks of two sites and a router between them. This process is on both, and connects nothing.
 * Bound to one thread.
 */
final class SiteNetworks {
  private static final int ROUTER = 254;

  private final Network network = new Network();
  private final Host router = network.addNode("router", ROUTER);

  SiteNetworks() {
    network.joinBack();
    router.run("sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward");
  }

  /** Adds a host at the first site, with its first address. */
  Host addFirst(String name, int number) {
    return routed(network.add(name, number), Host.BACK, router.front());
  }

  /** Adds a host at the second site, with its second address. */
  Host addSecond(String name, int number) {
    return routed(network.addBehind(name, number), Host.FRONT, router.back());
  }

  private static Host routed(Host host, String to, String over) {
    Network.ip("-n", host.name(), "route", "add", to + "0/24", "via", over);
    return host;
  }

  /** Discards everything between the sites. */
  void cut() {
    Network.ip("-n", router.name(), "link", "set", Side.BACK.device(), "down");
  }

  /** Ends a {@link #cut}. */
  void restore() {
    Network.ip("-n", router.name(), "link", "set", Side.BACK.device(), "up");
  }
}
