package io.sluice.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Ports that nobody has, for servers that have to know each other's beforehand. Stateless. */
public final class FreePorts {
  private FreePorts() {}

  /** So many different ones. */
  public static List<Integer> some(int count) {
    List<ServerSocket> held = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        held.add(anyFree());
      }
      List<Integer> ports = held.stream().map(ServerSocket::getLocalPort).toList();
      for (ServerSocket socket : held) {
        socket.close();
      }
      return ports;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Below those that systems give to connections, which would take one before its server does. */
  private static ServerSocket anyFree() throws IOException {
    for (int tries = 0; ; tries++) {
      int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
      try {
        return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
      } catch (BindException taken) {
        if (tries == 1000) {
          throw taken;
        }
      }
    }
  }
}
