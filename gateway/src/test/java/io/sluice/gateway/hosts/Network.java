package io.sluice.gateway.hosts;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Hosts on two bridges: one connects all hosts, the other only nodes. Traffic between nodes can
 * therefore be counted and cut. This process is on the first bridge. It requires a network
 * namespace, see {@link Isolation}. Bound to one thread.
 */
final class Network {
  static final Path FOLDER = Path.of("/run/netns");

  private static final String FRONT_BRIDGE = "front";
  private static final String BACK_BRIDGE = "back";

  /** MAC address of no host: frames to it are discarded without notice. */
  private static final String UNUSED_MAC = "02:00:00:00:00:fe";

  /** Network that connects two hosts. */
  enum Side {
    FRONT("eth0"),
    BACK("eth1");

    private final String device;

    Side(String device) {
      this.device = device;
    }

    /** Returns the name of each host's interface. */
    String device() {
      return device;
    }

    private String address(Host host) {
      return this == FRONT ? host.front() : host.back();
    }
  }

  /** Address of this process. */
  static final String LOCAL_ADDRESS = Host.FRONT + "1";

  Network() {
    ip("link", "set", "lo", "up");
    bridge(FRONT_BRIDGE);
    bridge(BACK_BRIDGE);
    ip("address", "add", LOCAL_ADDRESS + "/24", "dev", FRONT_BRIDGE);
  }

  private static void bridge(String name) {
    ip("link", "add", name, "type", "bridge");
    ip("link", "set", name, "addrgenmode", "none");
    ip("link", "set", name, "up");
  }

  /** Adds a host on the first bridge. */
  Host add(String name, int number) {
    Host host = create(name, number);
    join(host, Side.FRONT, FRONT_BRIDGE);
    return host;
  }

  /** Adds a host on the second bridge. */
  Host addBehind(String name, int number) {
    Host host = create(name, number);
    join(host, Side.BACK, BACK_BRIDGE);
    return host;
  }

  private static Host create(String name, int number) {
    ip("netns", "add", name);
    ip("-n", name, "link", "set", "lo", "up");
    return new Host(name, number);
  }

  /** Adds this process to the second bridge. It forwards nothing between the bridges. */
  void joinBack() {
    ip("address", "add", Host.BACK + "1/24", "dev", BACK_BRIDGE);
  }

  /** Adds a host on both bridges. */
  Host addNode(String name, int number) {
    Host host = add(name, number);
    join(host, Side.BACK, BACK_BRIDGE);
    return host;
  }

  // Without an IPv6 address, which would send packets on an idle network.
  private static void join(Host host, Side side, String bridge) {
    String here = bridge + host.number();
    String[] pair = {"link", "add", here, "type", "veth", "peer", "name", side.device()};
    ip(concat(pair, "netns", host.name()));
    ip("link", "set", here, "addrgenmode", "none");
    ip("link", "set", here, "master", bridge, "up");
    ip("-n", host.name(), "link", "set", side.device(), "addrgenmode", "none");
    ip("-n", host.name(), "link", "set", side.device(), "up");
    String address = side.address(host) + "/24";
    ip("-n", host.name(), "address", "add", address, "dev", side.device());
  }

  static String[] concat(String[] some, String... more) {
    String[] all = Arrays.copyOf(some, some.length + more.length);
    System.arraycopy(more, 0, all, some.length, more.length);
    return all;
  }

  /** Discards all traffic between two hosts without notifying them. */
  void cut(Side side, Host one, Host other) {
    misdirect(side, one, other);
    misdirect(side, other, one);
  }

  private static void misdirect(Side side, Host from, Host to) {
    String[] entry = {"-n", from.name(), "neighbour", "replace", side.address(to)};
    ip(concat(entry, "lladdr", UNUSED_MAC, "dev", side.device(), "nud", "permanent"));
  }

  /** Ends a {@link #cut}. */
  void restore(Side side, Host one, Host other) {
    find(side, one, other);
    find(side, other, one);
  }

  private static void find(Side side, Host from, Host to) {
    ip("-n", from.name(), "neighbour", "del", side.address(to), "dev", side.device());
  }

  /** Runs a command of iproute2. */
  static void ip(String... arguments) {
    Command.run(Stream.concat(Stream.of("ip"), Arrays.stream(arguments)).toList());
  }

  /**
   * Returns the addresses of the hosts that are connected to a port of this host, one per
   * connection.
   */
  static List<String> peers(Host host, int port) {
    String filter = "sport = :" + port;
    return host.run("ss", "-Htn", "state", "established", filter)
        .lines()
        .filter(line -> !line.isBlank())
        .map(line -> line.strip().split("\\s+"))
        .map(fields -> fields[fields.length - 1])
        .map(peer -> peer.substring(0, peer.lastIndexOf(':')).replaceAll("^\\[::ffff:|]$", ""))
        .toList();
  }
}
