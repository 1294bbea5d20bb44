package io.sluice.gateway.cli.command;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Checks of ports before a node or broker starts. Stateless, for any thread. */
public final class Ports {
  /** Below the ephemeral range of usual systems, from which connections get their ports. */
  private static final int FIRST_FREE = 20_000;

  private static final int FREE = 12_000;

  private Ports() {}

  /**
   * Checks that a port can be bound, by binding and closing it.
   *
   * @param hostOrigin the option or key with the address, for messages
   * @param portOrigin the option or key with the port, for messages
   */
  public static void requireFree(String host, String hostOrigin, int port, String portOrigin) {
    InetAddress address = address(host, hostOrigin);
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(address, port));
    } catch (IOException e) {
      String reason = " (" + host + ":" + port + ": " + e.getMessage() + "); choose another with ";
      throw new CommandFailure("port " + port + " can't be used" + reason + portOrigin, e);
    }
  }

  /** Reserves a port for a node whose port is required before its start; closing releases it. */
  public static ServerSocket reserve(String host, int port) {
    try {
      return new ServerSocket(port, 1, InetAddress.getByName(host));
    } catch (IOException e) {
      throw new CommandFailure("no port of " + host + " can be used: " + e.getMessage(), e);
    }
  }

  /** Returns a free port of 127.0.0.1 for a server that cannot choose its port itself. */
  public static int free() {
    for (int tries = 0; ; tries++) {
      int port = FIRST_FREE + ThreadLocalRandom.current().nextInt(FREE);
      try (ServerSocket socket = reserve("127.0.0.1", port)) {
        return socket.getLocalPort();
      } catch (IOException | CommandFailure e) {
        if (tries == 1000) {
          throw new CommandFailure("no port can be used: " + e.getMessage(), e);
        }
      }
    }
  }

  private static InetAddress address(String host, String origin) {
    try {
      InetAddress address = InetAddress.getByName(host);
      if (isLocal(address)) {
        return address;
      }
      throw new CommandFailure(host + " is not an address of this machine; change " + origin);
    } catch (IOException e) {
      throw new CommandFailure("\"" + host + "\" cannot be resolved; change " + origin, e);
    }
  }

  private static boolean isLocal(InetAddress address) throws IOException {
    return address.isAnyLocalAddress()
        || address.isLoopbackAddress() // 127.0.0.0/8, of which interfaces list only one address
        || NetworkInterface.getByInetAddress(address) != null;
  }
}
