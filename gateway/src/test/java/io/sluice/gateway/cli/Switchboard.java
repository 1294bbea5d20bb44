package io.sluice.gateway.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A load balancer that knows nothing but TCP: connections go to its ports in turn. */
final class Switchboard implements AutoCloseable {
  private final ServerSocket server;
  private final List<Integer> ports = new CopyOnWriteArrayList<>();
  private final AtomicInteger turn = new AtomicInteger();

  Switchboard() {
    try {
      server = new ServerSocket(0, 1024, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start("switchboard", this::accept);
  }

  private static void start(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  int port() {
    return server.getLocalPort();
  }

  void add(int port) {
    ports.add(port);
  }

  void remove(int port) {
    ports.remove(Integer.valueOf(port));
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        connect(server.accept());
      } catch (IOException e) {
        // the switchboard is closed, or this one's node is gone: the client will try again
      }
    }
  }

  private void connect(Socket client) throws IOException {
    try {
      List<Integer> now = List.copyOf(ports);
      int port = now.get(Math.floorMod(turn.getAndIncrement(), now.size()));
      Socket node = new Socket(InetAddress.getLoopbackAddress(), port);
      client.setTcpNoDelay(true);
      node.setTcpNoDelay(true);
      start("to-node", () -> copy(client, node));
      start("to-client", () -> copy(node, client));
    } catch (IOException e) {
      client.close();
      throw e;
    }
  }

  // What ends on one side ends on the other.
  private static void copy(Socket from, Socket to) {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] some = new byte[16 * 1024];
      for (int count = in.read(some); count >= 0; count = in.read(some)) {
        out.write(some, 0, count);
      }
    } catch (IOException e) {
      // reset: both are closed now
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
