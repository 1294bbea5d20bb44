package io.sluice.gateway.broker.contract;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashSet;
import java.util.Set;

/**
 * TCP relay to a broker, whose connections a check can close or stall without access to the broker.
 * Each connection has two threads. For any thread.
 */
final class LinkRelay implements AutoCloseable {
  private static final int BUFFER = 8192;
  private static final int BACKLOG = 50;

  private final InetSocketAddress broker;
  private final ServerSocket server;

  /** Sockets of both ends. Guarded by this. */
  private final Set<Socket> sockets = new HashSet<>();

  /** Number of losses so far, which ends the forwarding of earlier connections. */
  private volatile int losses;

  private volatile boolean answered;

  /**
   * Opens a relay on a free port.
   *
   * @param address local address
   * @throws IOException if the address cannot be used
   */
  LinkRelay(InetAddress address, InetSocketAddress broker) throws IOException {
    this.broker = broker;
    this.server = new ServerSocket(0, BACKLOG, address);
    start(this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  /** Returns whether the broker has sent anything. */
  boolean isAnswered() {
    return answered;
  }

  /** Closes all connections; new ones are relayed. */
  synchronized void cut() {
    losses++;
    sockets.forEach(LinkRelay::closeQuietly);
    sockets.clear();
  }

  /** Discards all further bytes of all connections, which stay open; new ones are relayed. */
  void stall() {
    losses++;
  }

  private void accept() {
    try {
      while (true) {
        connect(server.accept());
      }
    } catch (IOException e) {
      // closed
    }
  }

  private void connect(Socket client) {
    int connected = losses;
    Socket far = new Socket();
    add(client, far);
    start(
        () -> {
          try {
            far.connect(broker);
            start(() -> forward(far, client, connected, true));
            forward(client, far, connected, false);
          } catch (IOException e) {
            closeQuietly(client);
          }
        });
  }

  private synchronized void add(Socket client, Socket far) {
    sockets.add(client);
    sockets.add(far);
    if (server.isClosed()) {
      cut();
    }
  }

  private void forward(Socket from, Socket to, int connected, boolean ofBroker) {
    byte[] bytes = new byte[BUFFER];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
        if (losses == connected) {
          out.write(bytes, 0, n);
          answered |= ofBroker;
        }
      }
    } catch (IOException e) {
      // one end closed the connection; the other one is closed, too
    }
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "provider-check-relay");
    thread.setDaemon(true);
    thread.start();
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // it is closed
    }
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      // it is closed
    }
    cut();
  }
}
