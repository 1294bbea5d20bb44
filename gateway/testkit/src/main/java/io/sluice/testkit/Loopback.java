package io.sluice.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Loopback addresses for servers. For any thread. Connections to them come from 127.0.0.1, so that
 * none occupies the port of a server that is restarted.
 */
public final class Loopback {
  private Loopback() {}

  /** Returns a random loopback address; 127.0.0.1 if the machine has no other. */
  public static String address() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    String address =
        "127.%d.%d.%d"
            .formatted(random.nextInt(1, 255), random.nextInt(1, 255), random.nextInt(1, 255));
    return isUsable(address) ? address : "127.0.0.1";
  }

  private static boolean isUsable(String address) {
    try {
      freePort(address);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns a currently free port of an address. */
  public static int freePort(String address) throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName(address))) {
      return server.getLocalPort();
    }
  }
}
