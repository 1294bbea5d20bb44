package io.sluice.cluster;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Where other nodes may be. Names are looked up anew each time, so that an address that comes, goes
 * or moves is noticed. Immutable, for any thread that may wait for a name server.
 */
public sealed interface Seeds {
  /**
   * Those that a name server or this list knows now.
   *
   * @param unknown is told each name that doesn't resolve
   */
  List<InetSocketAddress> lookUp(Consumer<String> unknown);

  /**
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

    /** Throws {@link IllegalArgumentException} for what is no host:port. */
    private static InetSocketAddress address(String node) {
      int colon = node.lastIndexOf(':');
      if (colon <= 0) {
        throw new IllegalArgumentException(node + " has no port");
      }
      int port = Integer.parseInt(node.substring(colon + 1));
      return new InetSocketAddress(node.substring(0, colon), port);
    }

    /** What is wrong with the list, or null. */
    String trouble() {
      return nodes.stream().map(Listed::trouble).filter(Objects::nonNull).findFirst().orElse(null);
    }

    private static String trouble(String node) {
      int colon = node.lastIndexOf(':');
      boolean hasPort = colon > 0 && node.substring(colon + 1).matches("\\d{1,5}");
      int port = hasPort ? Integer.parseInt(node.substring(colon + 1)) : 0;
      return port > 0 && port <= 65535 ? null : "\"" + node + "\" is not host:port";
    }
  }

  /**
   * @param name of which each address is a node, such as that of a headless service
   * @param port that all of them listen on
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
