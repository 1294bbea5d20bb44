package io.sluice.cluster;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Seed addresses of other nodes. Names are resolved at each lookup, so changed addresses are
 * detected. Immutable, for any thread that may block on DNS.
 */
public sealed interface Seeds {
  /**
   * Resolves the current addresses.
   *
   * @param unknown receives each name that cannot be resolved
   */
  List<InetSocketAddress> lookUp(Consumer<String> unknown);

  /**
   * List of addresses.
   *
   * @param nodes each host:port, with an IPv6 address in brackets
   */
  record Listed(List<String> nodes) implements Seeds {
    /** Copies the list. */
    public Listed {
      nodes = List.copyOf(nodes);
    }

    @Override
    public List<InetSocketAddress> lookUp(Consumer<String> unknown) {
      List<InetSocketAddress> found = new ArrayList<>();
      for (String node : nodes) {
        InetSocketAddress address = address(node);
        if (address.isUnresolved()) {
          unknown.accept(address.getHostString());
        } else {
          found.add(address);
        }
      }
      return found;
    }

    /** Parses host:port; throws {@link IllegalArgumentException} if it is invalid. */
    private static InetSocketAddress address(String node) {
      int colon = node.lastIndexOf(':');
      if (colon <= 0) {
        throw new IllegalArgumentException(node + " has no port");
      }
      int port = Integer.parseInt(node.substring(colon + 1));
      return new InetSocketAddress(node.substring(0, colon), port);
    }

    /** Returns the first problem of the list, or null. */
    String problem() {
      return nodes.stream().map(Listed::problem).filter(Objects::nonNull).findFirst().orElse(null);
    }

    private static String problem(String node) {
      int colon = node.lastIndexOf(':');
      boolean hasPort = colon > 0 && node.substring(colon + 1).matches("\\d{1,5}");
      int port = hasPort ? Integer.parseInt(node.substring(colon + 1)) : 0;
      return port > 0 && port <= 65535 ? null : "\"" + node + "\" is not host:port";
    }
  }

  /**
   * DNS name of all nodes.
   *
   * @param name whose addresses are the nodes, such as that of a headless service
   * @param port of all nodes
   */
  record Dns(String name, int port) implements Seeds {
    @Override
    public List<InetSocketAddress> lookUp(Consumer<String> unknown) {
      try {
        List<InetSocketAddress> nodes = new ArrayList<>();
        for (InetAddress address : InetAddress.getAllByName(name)) {
          nodes.add(new InetSocketAddress(address, port));
        }
        return nodes;
      } catch (UnknownHostException e) {
        unknown.accept(name);
        return List.of();
      }
    }
  }
}
