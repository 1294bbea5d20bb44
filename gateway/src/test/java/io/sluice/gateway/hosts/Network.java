package io.sluice.gateway.hosts;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Hosts, each with a network of its own, on one bridge for everybody, and nodes on another one for
 * themselves, so that what they say to each other can be counted and cut. This process is on the
 * first bridge. It needs a namespace of its own, see {@link Isolation}. Bound to one thread.
 */
final class Network {
  static final Path FOLDER = Path.of("/run/netns");

  private static final String FRONT_BRIDGE = "front";
  private static final String BACK_BRIDGE = "back";

  /** Nobody's: frames to it arrive nowhere, and nobody is told. */
  private static final String NOBODY = "02:00:00:00:00:fe";

  /** Where two hosts meet. */
  enum Side {
    FRONT("eth0"),
    BACK("eth1");

    private final String device;

    Side(String device) {
      this.device = device;
    }

    /** The interface of each host. */
    String device() {
      return device;
    }

    private String address(Host host) {
      return this == FRONT ? host.front() : host.back();
    }
  }

  /** The address of this process. */
  static final String HERE = Host.FRONT + "1";

  Network() {
    ip("link", "set", "lo", "up");
    bridge(FRONT_BRIDGE);
    bridge(BACK_BRIDGE);
    ip("address", "add", HERE + "/24", "dev", FRONT_BRIDGE);
  }

  private static void bridge(String name) {
    ip("link", "add", name, "type", "bridge");
    ip("link", "set", name, "addrgenmode", "none");
    ip("link", "set", name, "up");
  }

  /** Adds a host that everybody reaches. */
  Host add(String name, int number) {
    Host host = new Host(name, number);
    ip("netns", "add", name);
    ip("-n", name, "link", "set", "lo", "up");
    join(host, Side.FRONT, FRONT_BRIDGE);
    return host;
  }

  /** Adds a host that is on the network of nodes, too. */
  Host addNode(String name, int number) {
    Host host = add(name, number);
    join(host, Side.BACK, BACK_BRIDGE);
    return host;
  }

  // Without an address of IPv6, which would talk on a quiet network.
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

  private static String[] concat(String[] some, String... more) {
    String[] all = Arrays.copyOf(some, some.length + more.length);
    System.arraycopy(more, 0, all, some.length, more.length);
    return all;
  }

  /** From now on nothing of what two hosts say to each other arrives, and they aren't told. */
  void cut(Side side, Host one, Host other) {
    misdirect(side, one, other);
    misdirect(side, other, one);
  }

  private static void misdirect(Side side, Host from, Host to) {
    String[] entry = {"-n", from.name(), "neighbour", "replace", side.address(to)};
    ip(concat(entry, "lladdr", NOBODY, "dev", side.device(), "nud", "permanent"));
  }

  /** Ends a {@link #cut}. */
  void mend(Side side, Host one, Host other) {
    find(side, one, other);
    find(side, other, one);
  }

  private static void find(Side side, Host from, Host to) {
    ip("-n", from.name(), "neighbour", "del", side.address(to), "dev", side.device());
  }

  private static void ip(String... arguments) {
    Command.run(Stream.concat(Stream.of("ip"), Arrays.stream(arguments)).toList());
  }

  /** How many connections other hosts have to a port of this one, by their addresses. */
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
