package io.sluice.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * TCP proxy in front of a broker with a one-way delay in both directions and a bandwidth limit from
 * the broker to the node. Any thread may call it.
 */
public final class SlowLink extends BrokerLink {
  private static final int CHUNK = 8 * 1024;
  private static final int BUFFERED_CHUNKS = 512;

  /** Small, because larger kernel buffers would hide a slow link. */
  private static final int SOCKET_BUFFER = 32 * 1024;

  /** More than a segment of the loopback device: less would limit the rate. */
  private static final int UNLIMITED_SOCKET_BUFFER = 1024 * 1024;

  private static final int UNLIMITED = 0;

  /** Bytes that were read and the time at which they arrive at the other end. */
  private record Chunk(byte[] bytes, int length, long dueNs) {}

  private final Queue<Socket> fars = new ConcurrentLinkedQueue<>();
  private volatile long delayNs;
  private volatile int bytesPerSecond = UNLIMITED;

  /** Opens a proxy to the broker at {@code brokerUrl}, without delay and limit. */
  public SlowLink(String brokerUrl) {
    super("slow-link", brokerUrl);
    open();
  }

  /** Delays each byte by {@code micros} in both directions; a round trip costs twice as much. */
  public SlowLink delayMicros(long micros) {
    delayNs = TimeUnit.MICROSECONDS.toNanos(micros);
    return this;
  }

  /** Limits what the broker sends to a node, over all connections each; 0 removes the limit. */
  public SlowLink bytesPerSecond(int limit) {
    bytesPerSecond = limit;
    int buffer = limit == UNLIMITED ? UNLIMITED_SOCKET_BUFFER : SOCKET_BUFFER;
    fars.removeIf(Socket::isClosed);
    fars.forEach(far -> setReceiveBuffer(far, buffer));
    return this;
  }

  private static void setReceiveBuffer(Socket far, int bytes) {
    try {
      far.setReceiveBufferSize(bytes);
    } catch (SocketException e) {
      // The socket is closed.
    }
  }

  /** Closes all connections; new ones are accepted. */
  public void cut() {
    closeConnections();
  }

  @Override
  void prepare(Socket node, Socket far) throws IOException {
    far.setReceiveBufferSize(SOCKET_BUFFER);
    fars.add(far);
    far.setTcpNoDelay(true);
    node.setTcpNoDelay(true);
    node.setSendBufferSize(SOCKET_BUFFER);
  }

  @Override
  void relay(Socket node, Socket far) {
    relay(node, far, false);
    relay(far, node, true);
  }

  private void relay(Socket from, Socket to, boolean limited) {
    BlockingQueue<Chunk> line = new ArrayBlockingQueue<>(BUFFERED_CHUNKS);
    start(() -> read(from, line, limited));
    start(() -> write(line, to));
  }

  private void read(Socket from, BlockingQueue<Chunk> line, boolean limited) {
    try (from) {
      InputStream in = from.getInputStream();
      byte[] bytes = new byte[CHUNK];
      for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
        line.put(new Chunk(bytes, n, System.nanoTime() + delayNs));
        bytes = new byte[CHUNK];
        int limit = bytesPerSecond;
        if (limited && limit != UNLIMITED) {
          LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(n) / limit);
        }
      }
    } catch (IOException e) {
      // One end closed the connection; the writer closes the other one.
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    } finally {
      end(line);
    }
  }

  private static void end(BlockingQueue<Chunk> line) {
    try {
      line.put(new Chunk(new byte[0], 0, System.nanoTime()));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void write(BlockingQueue<Chunk> line, Socket to) {
    try (to) {
      OutputStream out = to.getOutputStream();
      for (Chunk next = line.take(); next.length() > 0; next = line.take()) {
        for (long left = next.dueNs() - System.nanoTime();
            left > 0;
            left = next.dueNs() - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
        out.write(next.bytes(), 0, next.length());
      }
    } catch (IOException e) {
      drain(line);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Discards all chunks, so that the reader does not block after the writer failed. */
  private static void drain(BlockingQueue<Chunk> line) {
    try {
      while (line.take().length() > 0) {
        // until the reader has ended
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
