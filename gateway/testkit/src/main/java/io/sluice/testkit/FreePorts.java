package io.sluice.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

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

  /** Returns a port of 127.0.0.1 that no method has returned before. */
  public static int one() {
    return at("127.0.0.1");
  }

  /** Returns different ports of 127.0.0.1 that no method has returned before. */
  public static List<Integer> some(int count) {
    return IntStream.range(0, count).mapToObj(i -> one()).toList();
  }

  /** Returns a port of an address of this machine that no method has returned before. */
  public static int at(String host) {
    for (int tries = 0; ; tries++) {
      int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
      try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getByName(host))) {
        return free.getLocalPort();
      } catch (BindException taken) {
        if (tries == 1000) {
          throw new UncheckedIOException(taken);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
