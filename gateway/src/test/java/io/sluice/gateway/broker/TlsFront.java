package io.sluice.gateway.broker;

import io.sluice.gateway.transport.TestAuthority.Issued;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Ends TLS before a broker, with a certificate that the test chooses. For any thread. */
public final class TlsFront implements AutoCloseable {
  private final URI broker;
  private final ServerSocket listener;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  private TlsFront(TestBroker broker, Issued certificate) throws IOException {
    this.broker = URI.create(broker.url());
    this.listener =
        certificate
            .context()
            .getServerSocketFactory()
            .createServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
  }

  /** Opens one on a free port. */
  public static TlsFront of(TestBroker broker, Issued certificate) {
    try {
      TlsFront front = new TlsFront(broker, certificate);
      start(front::accept);
      return front;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  public int port() {
    return listener.getLocalPort();
  }

  private void accept() throws IOException {
    while (true) {
      Socket client = listener.accept();
      Socket server = new Socket(broker.getHost(), broker.getPort());
      sockets.addAll(List.of(client, server));
      start(() -> copy(client, server));
      start(() -> copy(server, client));
    }
  }

  private static void copy(Socket from, Socket to) throws IOException {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] some = new byte[8192];
      for (int read = in.read(some); read >= 0; read = in.read(some)) {
        out.write(some, 0, read);
        out.flush();
      }
    }
  }

  /** What ends with its sockets. */
  @FunctionalInterface
  private interface Work {
    void run() throws IOException;
  }

  private static void start(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException ended) {
                // by either side, or the test
              }
            },
            "tls-front");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
