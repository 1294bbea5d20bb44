package io.sluice.gateway.streams;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.testkit.TestCertificate;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** Connection of HTTP/2 that sends any frames: RFC 9113. One thread writes, one reads. */
final class Http2Bytes implements AutoCloseable {
  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int RST_STREAM = 3;
  static final int SETTINGS = 4;
  static final int PING = 6;
  static final int GOAWAY = 7;
  static final int CONTINUATION = 9;
  static final int END_STREAM = 1;
  static final int END_HEADERS = 4;

  private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII);
  private static final int TIMEOUT_MS = 60_000;

  private final SSLSocket socket;

  private Http2Bytes(SSLSocket socket) {
    this.socket = socket;
  }

  static Http2Bytes open(TestCertificate certificate, int port) throws IOException {
    SSLSocket socket =
        (SSLSocket)
            certificate
                .trust()
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(TIMEOUT_MS);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {"h2"});
    socket.setSSLParameters(parameters);
    Http2Bytes opened = new Http2Bytes(socket);
    ByteArrayOutputStream first = new ByteArrayOutputStream();
    first.write(PREFACE);
    first.write(frame(SETTINGS, 0, 0, new byte[0]));
    opened.write(first.toByteArray());
    return opened;
  }

  static byte[] frame(int type, int flags, int stream, byte[] payload) {
    byte[] frame = new byte[9 + payload.length];
    frame[0] = (byte) (payload.length >> 16);
    frame[1] = (byte) (payload.length >> 8);
    frame[2] = (byte) payload.length;
    frame[3] = (byte) type;
    frame[4] = (byte) flags;
    for (int i = 0; i < 4; i++) {
      frame[5 + i] = (byte) (stream >> 24 - 8 * i);
    }
    System.arraycopy(payload, 0, frame, 9, payload.length);
    return frame;
  }

  /** Returns the header block of a request for an event stream. */
  static byte[] events(String path) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    block.write(0x82); // :method GET
    block.write(0x87); // :scheme https
    literal(block, new byte[] {0x04}, path);
    literal(block, new byte[] {0x01}, "localhost");
    literal(block, new byte[] {0x0f, 0x04}, "text/event-stream"); // accept
    return block.toByteArray();
  }

  private static void literal(ByteArrayOutputStream block, byte[] name, String value) {
    block.writeBytes(name);
    block.write(value.length());
    block.writeBytes(value.getBytes(US_ASCII));
  }

  void write(byte[] bytes) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(bytes);
    out.flush();
  }

  /** Reads up to a frame of a type; returns false if the connection ends before. */
  boolean readTo(int type) {
    try {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      while (true) {
        int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int received = in.readUnsignedByte();
        in.skipNBytes(5L + length);
        if (received == type) {
          return true;
        }
      }
    } catch (IOException ended) {
      return false;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
