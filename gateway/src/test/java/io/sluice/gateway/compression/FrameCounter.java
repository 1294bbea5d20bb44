package io.sluice.gateway.compression;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * WebSocket clients that count binary frames and their bytes, and decompress nothing. The counters
 * are for any thread; all else is bound to the counter's thread.
 */
final class FrameCounter extends Thread implements AutoCloseable {
  private static final String REQUEST =
      "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s\r\n";

  private static final int OPCODE = 0x0F;
  private static final int BINARY = 2;

  private final Selector selector;
  private final ByteBuffer in = ByteBuffer.allocateDirect(256 * 1024);
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private volatile boolean closed;
  volatile long frames;
  volatile long bytes;
  volatile Throwable failure;

  FrameCounter() throws IOException {
    super("frame counter");
    this.selector = Selector.open();
  }

  /** Parser state of one client. */
  private static final class Client {
    private final byte[] head = new byte[10];
    private int headBytes;
    private long skip;
  }

  /** Opens a client and waits for the handshake; called before the thread is started. */
  void open(ComparedServer server) throws IOException {
    SocketChannel channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", server.port()));
    String request = REQUEST.formatted(server.path(), server.headers());
    channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
    readHead(channel);
    subscribe(channel, server.subscribeFrames());
    channel.configureBlocking(false);
    channel.register(selector, SelectionKey.OP_READ, new Client());
  }

  private static void readHead(SocketChannel channel) throws IOException {
    StringBuilder head = new StringBuilder();
    ByteBuffer one = ByteBuffer.allocate(1);
    while (head.indexOf("\r\n\r\n") < 0) {
      if (channel.read(one.clear()) < 0) {
        throw new IOException("no handshake: " + head);
      }
      head.append((char) one.get(0));
    }
    if (!head.toString().startsWith("HTTP/1.1 101")) {
      throw new IOException(head.toString());
    }
  }

  // Frames with the mask 0; the first byte of each content is its opcode.
  private static void subscribe(SocketChannel channel, List<byte[]> contents) throws IOException {
    for (byte[] content : contents) {
      int length = content.length - 1;
      ByteBuffer frame = ByteBuffer.allocate(6 + length);
      frame.put((byte) (0x80 | content[0])).put((byte) (0x80 | length)).putInt(0);
      channel.write(frame.put(content, 1, length).flip());
    }
  }

  @Override
  public void run() {
    try {
      while (!closed) {
        selector.select(this::read, 100);
      }
      for (SelectionKey key : selector.keys()) {
        key.channel().close();
      }
      selector.close();
    } catch (IOException | RuntimeException e) {
      failure = e;
    } finally {
      ended.complete(null);
    }
  }

  private void read(SelectionKey key) {
    try {
      int count = ((SocketChannel) key.channel()).read(in.clear());
      if (count < 0) {
        throw new IOException("a client was closed");
      }
      parse((Client) key.attachment(), in.flip());
    } catch (IOException e) {
      failure = e;
      key.cancel();
    }
  }

  private void parse(Client client, ByteBuffer buffer) {
    while (buffer.hasRemaining()) {
      int skipped = (int) Math.min(client.skip, buffer.remaining());
      buffer.position(buffer.position() + skipped);
      client.skip -= skipped;
      if (buffer.hasRemaining()) {
        client.head[client.headBytes++] = buffer.get();
        onHead(client);
      }
    }
  }

  private void onHead(Client client) {
    int length = client.headBytes < 2 ? -1 : client.head[1] & 0x7F;
    int needed = length == 127 ? 10 : length == 126 ? 4 : 2;
    if (client.headBytes < needed) {
      return;
    }
    ByteBuffer head = ByteBuffer.wrap(client.head);
    client.skip =
        length == 127 ? head.getLong(2) : length == 126 ? head.getShort(2) & 0xFFFF : length;
    client.headBytes = 0;
    if ((client.head[0] & OPCODE) == BINARY) {
      frames++;
      bytes += needed + client.skip;
    }
  }

  @Override
  public void close() {
    closed = true;
    if (getState() != State.NEW) {
      ended.join();
    }
  }
}
