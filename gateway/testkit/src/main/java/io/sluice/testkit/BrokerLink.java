package io.sluice.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** TCP port in front of a broker; each connection to it opens one to the broker. */
public abstract class BrokerLink implements AutoCloseable {
  private final String threadName;
  private final URI broker;
  private final ServerSocket server;
  private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();

  /** Binds the port. Connections are accepted from {@link #open} on. */
  BrokerLink(String threadName, String brokerUrl) {
    this.threadName = threadName;
    this.broker = URI.create(brokerUrl);
    try {
      server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Accepts connections. Called at the end of the constructor. */
  final void open() {
    start(this::accept);
  }

  /** Returns the URL at which the node connects instead of the broker's. */
  public final String url() {
    return "tcp://127.0.0.1:" + server.getLocalPort();
  }

  /** Sets options before {@code far} is connected to the broker. */
  void prepare(Socket node, Socket far) throws IOException {
    // The defaults will do.
  }

  /** Starts to pass bytes between the two ends of a connection. */
  abstract void relay(Socket node, Socket far);

  private void accept() {
    try {
      while (true) {
        Socket node = server.accept();
        Socket far = new Socket();
        prepare(node, far);
        far.connect(new InetSocketAddress(broker.getHost(), broker.getPort()));
        sockets.add(node);
        sockets.add(far);
        relay(node, far);
      }
    } catch (IOException e) {
      // The link was closed, or the broker is gone.
    }
  }

  final void start(Runnable work) {
    Thread thread = new Thread(work, threadName);
    thread.setDaemon(true);
    thread.start();
  }

  /** Closes all connections; new ones are accepted. */
  final void closeConnections() {
    for (Socket socket = sockets.poll(); socket != null; socket = sockets.poll()) {
      closeNow(socket);
    }
  }

  static void closeNow(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    closeConnections();
  }
}
