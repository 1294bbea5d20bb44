package io.sluice.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Round-robin TCP load balancer, whose connections may fail. For any thread. */
public final class Switchboard implements Balancer {
  private final ServerSocket server;
  private final List<InetSocketAddress> servers = new CopyOnWriteArrayList<>();
  private final AtomicInteger turn = new AtomicInteger();
  private final Set<Socket> clients = ConcurrentHashMap.newKeySet();

  // Guarded by this.
  private boolean paused;
  private int bytesPerSecond;

  public Switchboard() {
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

  @Override
  public String address() {
    return "127.0.0.1:" + server.getLocalPort();
  }

  /** Adds a server for new connections. */
  public void add(String host, int port) {
    servers.add(new InetSocketAddress(host, port));
  }

  /** Removes all servers: new connections are closed at once, existing ones remain. */
  public void removeAll() {
    servers.clear();
  }

  /** Closes all connections; new ones are accepted. */
  public void cut() {
    clients.forEach(Switchboard::closeNow);
  }

  /** Passes no bytes, also on new connections, until {@link #resume}. */
  public synchronized void pause() {
    paused = true;
  }

  /** Passes bytes again. */
  public synchronized void resume() {
    paused = false;
    notifyAll();
  }

  /** Limits the bytes of each connection and direction; 0: no limit. */
  public synchronized void bytesPerSecond(int limit) {
    bytesPerSecond = limit;
  }

  /** Waits until bytes may be passed; returns the time that their successors wait. */
  private synchronized long awaitTurn(int bytes) throws IOException {
    try {
      while (paused) {
        wait();
      }
      return bytesPerSecond == 0 ? 0 : TimeUnit.SECONDS.toNanos(bytes) / bytesPerSecond;
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static void closeNow(Socket client) {
    try {
      client.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        connect(server.accept());
      } catch (IOException e) {
        // the switchboard is closed, or the server is down: the client will retry
      }
    }
  }

  private void connect(Socket client) throws IOException {
    try {
      List<InetSocketAddress> now = List.copyOf(servers);
      if (now.isEmpty()) {
        throw new ConnectException("nothing to connect to");
      }
      InetSocketAddress next = now.get(Math.floorMod(turn.getAndIncrement(), now.size()));
      Socket server = new Socket(next.getAddress(), next.getPort());
      clients.removeIf(Socket::isClosed);
      clients.add(client);
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      start("to-server", () -> copy(client, server));
      start("to-client", () -> copy(server, client));
    } catch (IOException e) {
      client.close();
      throw e;
    }
  }

  // The end of one side closes both.
  private void copy(Socket from, Socket to) {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] some = new byte[4 * 1024];
      for (int count = in.read(some); count >= 0; count = in.read(some)) {
        long waitNs = awaitTurn(count);
        out.write(some, 0, count);
        LockSupport.parkNanos(waitNs);
      }
    } catch (IOException e) {
      // reset: both are closed now
    }
  }

  @Override
  public void close() {
    resume();
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
