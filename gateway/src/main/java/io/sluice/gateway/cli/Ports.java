package io.sluice.gateway.cli;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Tells early, and by name, that a port can't be had. Stateless, for any thread. */
final class Ports {
  private Ports() {}

  /**
   * Takes a port and gives it back.
   *
   * @param origin what the user would change: an option, or a key and its place in the file
   */
  static void requireFree(String host, int port, String origin) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getByName(host), port));
    } catch (BindException e) {
      String address = host + ":" + port;
      throw new CommandFailure(
          "port "
              + port
              + " can't be used ("
              + address
              + ": "
              + e.getMessage()
              + "); choose another with "
              + origin,
          e);
    } catch (IOException e) {
      throw new CommandFailure("no such address: " + host + " (" + e + "), from " + origin, e);
    }
  }
}
