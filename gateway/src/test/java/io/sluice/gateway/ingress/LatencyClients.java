package io.sluice.gateway.ingress;

import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.RawWebSocket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.HdrHistogram.Histogram;

/**
 * Clients with the binary encoding, each subscribed to one of some topics. One thread reads all of
 * them, and records the time since each message was sent.
 */
final class LatencyClients implements AutoCloseable {
  private static final int BUFFER = 256 * 1024;
  private static final int EXTENDED_LENGTH = 126;
  private static final int BINARY = 0x82;
  private static final byte[] STAMP = "TS=".getBytes(StandardCharsets.US_ASCII);

  private final Selector selector;
  private final Thread reader = new Thread(this::read, "latency-clients");
  private Histogram latencies = new Histogram(3);

  /**
   * Connects to a node.
   *
   * @param prefix prefix of the topics' names, followed by their numbers
   */
  LatencyClients(String host, int port, int clients, int topics, String prefix) throws IOException {
    selector = Selector.open();
    for (int i = 0; i < clients; i++) {
      SocketChannel channel = connect(host, port);
      ClientFrame subscribe =
          ClientFrame.text(
              "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"" + prefix + i % topics + "\"}");
      channel.write(ByteBuffer.wrap(subscribe.bytes()));
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_READ, ByteBuffer.allocate(BUFFER));
    }
    reader.setDaemon(true);
    reader.start();
  }

  private static SocketChannel connect(String host, int port) throws IOException {
    SocketChannel channel = SocketChannel.open(new InetSocketAddress(host, port));
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    String request =
        "GET /ws HTTP/1.1\r\nHost: %s:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                .formatted(host, port)
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n".formatted(RawWebSocket.KEY)
            + "Sec-WebSocket-Protocol: sluice.v1.bin\r\n\r\n";
    channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
    ByteBuffer next = ByteBuffer.allocate(1);
    StringBuilder answer = new StringBuilder();
    while (answer.indexOf("\r\n\r\n") < 0) {
      if (channel.read(next.clear()) < 0) {
        throw new IOException("closed: " + answer);
      }
      answer.append((char) next.get(0));
    }
    return channel;
  }

  /** Returns the latencies since the previous call, in microseconds. */
  synchronized Histogram takeLatencies() {
    Histogram taken = latencies;
    latencies = new Histogram(3);
    return taken;
  }

  private void read() {
    try {
      while (selector.isOpen()) {
        selector.select(this::read);
      }
    } catch (IOException | ClosedSelectorException e) {
      // The clients are closed.
    }
  }

  private void read(SelectionKey key) {
    ByteBuffer buffer = (ByteBuffer) key.attachment();
    try {
      if (((SocketChannel) key.channel()).read(buffer) < 0) {
        throw new IOException("closed by the node");
      }
      Instant now = Instant.now();
      buffer.flip();
      record(buffer, now.getEpochSecond() * 1_000_000_000 + now.getNano());
      buffer.compact();
    } catch (IOException e) {
      key.cancel();
      System.err.println(e);
    }
  }

  private synchronized void record(ByteBuffer buffer, long nowNs) {
    while (true) {
      int start = buffer.position();
      if (buffer.remaining() < 4) {
        return;
      }
      int length = buffer.get(start + 1) & 0x7F;
      int header = 2;
      if (length == EXTENDED_LENGTH) {
        length = buffer.getShort(start + 2) & 0xFFFF;
        header = 4;
      }
      if (buffer.remaining() < header + length) {
        return;
      }
      if ((buffer.get(start) & 0xFF) == BINARY) {
        record(buffer.array(), start + header, length, nowNs);
      }
      buffer.position(start + header + length);
    }
  }

  private void record(byte[] bytes, int start, int length, long nowNs) {
    for (int i = start; i < start + length - STAMP.length; i++) {
      if (bytes[i] == STAMP[0] && bytes[i + 1] == STAMP[1] && bytes[i + 2] == STAMP[2]) {
        long sentNs = 0;
        for (int at = i + STAMP.length; bytes[at] != ' '; at++) {
          sentNs = sentNs * 10 + bytes[at] - '0';
        }
        latencies.recordValue(Math.max(0, (nowNs - sentNs) / 1000));
        return;
      }
    }
  }

  @Override
  public void close() throws IOException {
    for (SelectionKey key : selector.keys()) {
      key.channel().close();
    }
    selector.close();
  }
}
