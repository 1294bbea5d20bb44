package io.sluice.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Addresses of this machine alone. Connections to them come from 127.0.0.1, so none of them takes
 * the port of a server that has ended and wants to have it again.
 */
public final class Loopback {
  private Loopback() {}

  /** One that hardly anybody else uses; 127.0.0.1 where there is no other. */
  public static String address() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    String address =
        "127.%d.%d.%d"
            .formatted(random.nextInt(1, 255), random.nextInt(1, 255), random.nextInt(1, 255));
    return isOurs(address) ? address : "127.0.0.1";
  }

  private static boolean isOurs(String address) {
    try {
      freePort(address);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** A port of this address that nobody has at this moment. */
  public static int freePort(String address) throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName(address))) {
      return server.getLocalPort();
    }
  }
}
