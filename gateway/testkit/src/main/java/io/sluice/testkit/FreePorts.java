package io.sluice.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Free TCP ports for servers whose ports must be configured before they start. For any thread. The
 * ports are below the ephemeral range, from which the system assigns ports to connections.
 */
public final class FreePorts {
  private static final int FIRST = 20_000;
  private static final int COUNT = 12_000;

  /** Processes that run at the same time begin at different ports. */
  private static final AtomicInteger NEXT =
      new AtomicInteger((int) (ProcessHandle.current().pid() * 101 % COUNT));

  private FreePorts() {}

  /** Returns {@code count} different ports that this method has not returned before. */
  public static List<Integer> some(int count) {
    List<ServerSocket> held = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        held.add(nextFree());
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

  private static ServerSocket nextFree() throws IOException {
    for (int tries = 0; ; tries++) {
      int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
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
