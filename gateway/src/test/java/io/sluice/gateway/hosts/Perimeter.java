package io.sluice.gateway.hosts;

import io.sluice.gateway.hosts.Network.Side;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Outer network with clients, an inner network with a broker, and a host in a DMZ. A firewall
 * permits connections from the inner network to one port of the DMZ, and none back. This process is
 * on the outer and on the inner network, without routes between them. Bound to one thread.
 */
final class Perimeter {
  /** Port of the DMZ that the firewall opens. */
  static final int LINK_PORT = 9443;

  private static final String BETWEEN = "10.79.0.";
  private static final String DMZ_ADDRESS = BETWEEN + "2";
  private static final String FIREWALL_ADDRESS = BETWEEN + "1";
  private static final String INNER_NETWORK = Host.BACK + "0/24";

  private final Network network = new Network();
  private final Host dmz = network.add("dmz", 2);
  private final Host firewall = network.addBehind("firewall", 254);
  private final Host broker = network.addBehind("broker", 3);
  private final Host root = network.addBehind("root", 4);
  private final Host inner = network.addBehind("inner", 5);
  private final Host standby = network.addBehind("standby", 6);

  Perimeter() {
    network.joinBack();
    String[] pair = {"link", "add", "to-dmz", "netns", firewall.name(), "type", "veth"};
    Network.ip(Network.concat(pair, "peer", "name", "to-inner", "netns", dmz.name()));
    connect(firewall, "to-dmz", FIREWALL_ADDRESS);
    connect(dmz, "to-inner", DMZ_ADDRESS);
    for (Host each : List.of(broker, root, inner, standby)) {
      route(each, BETWEEN + "0/24", firewall.back());
    }
    route(dmz, INNER_NETWORK, FIREWALL_ADDRESS);
    firewall.run("sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward");
  }

  /**
   * Loads rules of nftables, or equal ones of the routing policy where nft is not available.
   *
   * @param rules for the networks of docs/operations/tiers.md
   */
  void protect(String rules, Path folder) throws IOException {
    String adapted = rules.replace("10.1.0.0/16", INNER_NETWORK).replace("10.2.0.5", DMZ_ADDRESS);
    Path file = Files.writeString(folder.resolve("rules.nft"), adapted);
    List<String> command = new ArrayList<>(firewall.launcher());
    command.addAll(List.of("sh", "-c", "command -v nft && nft -f " + file));
    Command.Outcome outcome = Command.attempt(command);
    System.out.println(outcome.exitCode() == 0 ? adapted : "without nft: " + outcome.output());
    if (outcome.exitCode() != 0) {
      protectByRoutes();
    }
  }

  // Stateless, without further programs: from the DMZ pass packets of the port for links only, on
  // which its node listens, so that no connection begins there.
  private void protectByRoutes() {
    rule("100", "ipproto", "tcp", "sport", String.valueOf(LINK_PORT), "lookup", "main");
    rule("101", "prohibit");
  }

  private static void connect(Host host, String device, String address) {
    Network.ip("-n", host.name(), "link", "set", device, "up");
    Network.ip("-n", host.name(), "address", "add", address + "/24", "dev", device);
  }

  private static void route(Host host, String to, String over) {
    Network.ip("-n", host.name(), "route", "add", to, "via", over);
  }

  /** Adds a rule for packets from the DMZ. */
  private void rule(String preference, String... action) {
    String[] rule = {"-n", firewall.name(), "rule", "add", "pref", preference, "iif", "to-dmz"};
    Network.ip(Network.concat(rule, action));
  }

  /** Returns the host of the DMZ. Clients connect to its first address. */
  Host dmz() {
    return dmz;
  }

  /** Returns the address of the DMZ for the inner network. */
  String dmzAddress() {
    return DMZ_ADDRESS;
  }

  Host broker() {
    return broker;
  }

  /** Returns the host of the node with the broker. */
  Host root() {
    return root;
  }

  /** Returns the host of the first inner node. */
  Host inner() {
    return inner;
  }

  /** Returns the host of the second inner node. */
  Host standby() {
    return standby;
  }

  /** Returns whether a program on a host can connect to an address. */
  static boolean canConnect(Host from, String address, int port) {
    List<String> command = new ArrayList<>(from.launcher());
    command.addAll(List.of("timeout", "5", "bash", "-c"));
    command.add(": < /dev/tcp/%s/%d".formatted(address, port));
    return Command.attempt(command).exitCode() == 0;
  }

  /** Disconnects the firewall from the inner network. */
  void cut() {
    cut(firewall);
  }

  /** Disconnects a host from the inner network. */
  static void cut(Host host) {
    Network.ip("-n", host.name(), "link", "set", Side.BACK.device(), "down");
  }

  /** Ends a {@link #cut}. */
  void restore() {
    Network.ip("-n", firewall.name(), "link", "set", Side.BACK.device(), "up");
  }
}
