package io.sluice.gateway.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks of ports before a node or broker starts. Stateless, for any thread. */
final class Ports {
  private static final int HIGHEST = 65_535;

  private Ports() {}

  /** Checks the bounds of an option that is a port. */
  static void requireValid(CommandSpec spec, String option, int port) {
    if (port < 0 || port > HIGHEST) {
      throw new ParameterException(
          spec.commandLine(), option + " " + port + " is not a port; expected 0 to " + HIGHEST);
    }
  }

  /**
   * Takes a port and gives it back.
   *
   * @param hostOrigin what the user would change to get another address: an option, or a key
   * @param portOrigin the same for the port
   */
  static void requireFree(String host, String hostOrigin, int port, String portOrigin) {
    InetAddress address = address(host, hostOrigin);
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(address, port));
    } catch (IOException e) {
      String reason = " (" + host + ":" + port + ": " + e.getMessage() + "); choose another with ";
      throw new CommandFailure("port " + port + " can't be used" + reason + portOrigin, e);
    }
  }

  private static InetAddress address(String host, String origin) {
    try {
      InetAddress address = InetAddress.getByName(host);
      if (isOurs(address)) {
        return address;
      }
      throw new CommandFailure(host + " is no address of this machine; change " + origin);
    } catch (IOException e) {
      throw new CommandFailure("there is no address \"" + host + "\"; change " + origin, e);
    }
  }

  private static boolean isOurs(InetAddress address) throws IOException {
    return address.isAnyLocalAddress()
        || address.isLoopbackAddress() // all of 127.0.0.0/8, of which interfaces list one
        || NetworkInterface.getByInetAddress(address) != null;
  }
}
