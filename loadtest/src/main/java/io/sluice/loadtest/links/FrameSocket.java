package io.sluice.loadtest.links;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;

/**
 * WebSocket with blocking calls, which costs less per message than one with callbacks. One thread
 * reads; any thread may close it.
 */
final class FrameSocket implements AutoCloseable {
  static final int TEXT = 1;
  static final int BINARY = 2;
  static final int CLOSE = 8;

  private static final int PING = 9;
  private static final int PONG = 10;
  private static final int FIN = 0x80;
  private static final int MASKED = 0x80;
  private static final int LENGTH = 0x7f;
  private static final int TWO_BYTES = 126;
  private static final int EIGHT_BYTES = 127;
  private static final int MASK_BYTES = 4;
  private static final int MAX_FRAME = 1 << 26;
  private static final int BUFFER = 1 << 18;
  private static final int MAX_HEAD = 1 << 14;
  private static final int TIMEOUT_MILLIS = 30_000;

  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;
  private byte[] payload = new byte[0];

  private FrameSocket(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER));
    this.out = socket.getOutputStream();
  }

  /** Connects with a subprotocol. */
  static FrameSocket connect(URI url, String subprotocol) throws IOException {
    Socket socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(url.getHost(), url.getPort()), TIMEOUT_MILLIS);
      socket.setTcpNoDelay(true);
      FrameSocket opened = new FrameSocket(socket);
      opened.shakeHands(url, subprotocol);
      return opened;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  private void shakeHands(URI url, String subprotocol) throws IOException {
    String request =
        """
        GET %s HTTP/1.1\r
        Host: %s:%d\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Version: 13\r
        Sec-WebSocket-Key: c2x1aWNlIGJlbmNobWFyaw==\r
        Sec-WebSocket-Protocol: %s\r
        \r
        """
            .formatted(url.getPath(), url.getHost(), url.getPort(), subprotocol);
    out.write(request.getBytes(ISO_8859_1));
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0 && head.length() < MAX_HEAD) {
      head.append((char) in.readUnsignedByte());
    }
    if (!head.toString().startsWith("HTTP/1.1 101 ")) {
      throw new IOException(
          url + " rejected the handshake: " + head.toString().lines().findFirst());
    }
  }

  /** Sends a text message. */
  void send(String text) throws IOException {
    send(TEXT, text.getBytes(UTF_8));
  }

  private void send(int opcode, byte[] content) throws IOException {
    ByteArrayOutputStream frame = new ByteArrayOutputStream();
    DataOutputStream bytes = new DataOutputStream(frame);
    bytes.writeByte(FIN | opcode);
    if (content.length < TWO_BYTES) {
      bytes.writeByte(MASKED | content.length);
    } else {
      bytes.writeByte(MASKED | TWO_BYTES);
      bytes.writeShort(content.length);
    }
    bytes.write(new byte[MASK_BYTES]); // a key of zeros leaves the content as it is
    bytes.write(content);
    out.write(frame.toByteArray());
  }

  /**
   * Reads the next data or close frame, whose content is valid until the next call; answers pings.
   *
   * @return its opcode
   */
  int read() throws IOException {
    while (true) {
      int first = in.readUnsignedByte();
      int opcode = first & ~FIN;
      if ((first & FIN) == 0 || opcode > PONG || opcode > BINARY && opcode < CLOSE) {
        throw new IOException("unexpected frame with the first byte " + first);
      }
      payload = new byte[length()];
      in.readFully(payload);
      if (opcode == PING) {
        send(PONG, payload);
      } else if (opcode != PONG) {
        return opcode;
      }
    }
  }

  private int length() throws IOException {
    int second = in.readUnsignedByte() & LENGTH;
    long length = second;
    if (second == TWO_BYTES) {
      length = in.readUnsignedShort();
    } else if (second == EIGHT_BYTES) {
      length = in.readLong();
    }
    if (length < 0 || length > MAX_FRAME) {
      throw new IOException("frame of " + length + " bytes; at most " + MAX_FRAME + " are allowed");
    }
    return (int) length;
  }

  /** Returns the payload of the frame read last. */
  byte[] payload() {
    return payload;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
