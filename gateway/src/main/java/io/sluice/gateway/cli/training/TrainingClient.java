package io.sluice.gateway.cli.training;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import javax.net.SocketFactory;

/**
 * Client of a training run. It searches the received bytes for the types of frames and does not
 * decode them. Confined to one thread at a time.
 */
final class TrainingClient implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int STATUS_LENGTH = 3;
  private static final int TEXT_FRAME = 0x81;
  private static final int MASKED = 0x80;
  private static final int EXTENDED_LENGTH = 126;
  private static final byte[] MASK = {1, 2, 3, 4};

  private final Socket socket;
  private final InputStream in;
  private final byte[] buffer = new byte[16 * 1024];

  /** Received bytes that a search has not passed. */
  private String received = "";

  private TrainingClient(Socket socket) throws IOException {
    this.socket = socket;
    this.in = socket.getInputStream();
  }

  /** Connects and sends an HTTP request, whose response must have the status. */
  static TrainingClient open(SocketFactory sockets, int port, String request, int status)
      throws IOException {
    Socket socket = sockets.createSocket();
    try {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout((int) TIMEOUT.toMillis());
      socket.connect(new InetSocketAddress("127.0.0.1", port), (int) TIMEOUT.toMillis());
      TrainingClient client = new TrainingClient(socket);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      client.awaitStatus(status);
      return client;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  private void awaitStatus(int expected) throws IOException {
    await("HTTP/1.1 ");
    while (received.length() < STATUS_LENGTH) {
      received += read();
    }
    String status = received.substring(0, STATUS_LENGTH);
    if (!status.equals(Integer.toString(expected))) {
      throw new IOException("response with status " + status + " instead of " + expected);
    }
    await("\r\n\r\n");
  }

  /** Sends text frames in one write. */
  void send(String... frames) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (String frame : frames) {
      bytes.writeBytes(frame(frame.getBytes(StandardCharsets.UTF_8)));
    }
    socket.getOutputStream().write(bytes.toByteArray());
  }

  private static byte[] frame(byte[] payload) {
    boolean extended = payload.length >= EXTENDED_LENGTH;
    int head = (extended ? 4 : 2) + MASK.length;
    byte[] frame = new byte[head + payload.length];
    frame[0] = (byte) TEXT_FRAME;
    frame[1] = (byte) (MASKED | (extended ? EXTENDED_LENGTH : payload.length));
    if (extended) {
      frame[2] = (byte) (payload.length >> 8);
      frame[3] = (byte) payload.length;
    }
    System.arraycopy(MASK, 0, frame, head - MASK.length, MASK.length);
    for (int i = 0; i < payload.length; i++) {
      frame[head + i] = (byte) (payload[i] ^ MASK[i % MASK.length]);
    }
    return frame;
  }

  /** Reads until a text has arrived. */
  void await(String text) throws IOException {
    int at = received.indexOf(text);
    while (at < 0) {
      received = received.substring(Math.max(0, received.length() - text.length())) + read();
      at = received.indexOf(text);
    }
    received = received.substring(at + text.length());
  }

  private String read() throws IOException {
    int count = in.read(buffer);
    if (count < 0) {
      throw new IOException("the node closed a connection of the training run: " + received);
    }
    return new String(buffer, 0, count, StandardCharsets.ISO_8859_1);
  }

  /** Reads and discards everything until the connection ends. */
  void discardAll() {
    try {
      while (in.read(buffer) >= 0) {
        // discarded
      }
    } catch (IOException e) {
      // The connection was closed at the end of the run.
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
