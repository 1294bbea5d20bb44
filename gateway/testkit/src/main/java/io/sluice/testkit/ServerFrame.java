package io.sluice.testkit;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/** Frame received from a server. */
public record ServerFrame(boolean fin, int rsv, int opcode, byte[] payload) {
  private static final int CONTINUATION = 0;

  public String text() {
    return new String(payload, StandardCharsets.UTF_8);
  }

  /** Returns the code of a close frame; 1005 if it has none. */
  public int closeCode() {
    return payload.length < 2 ? 1005 : (payload[0] & 0xFF) << 8 | payload[1] & 0xFF;
  }

  public String closeReason() {
    return payload.length < 2
        ? ""
        : new String(payload, 2, payload.length - 2, StandardCharsets.UTF_8);
  }

  /** Returns the next frame, or null if the stream ends before it. */
  public static ServerFrame read(InputStream stream) throws IOException {
    int first = stream.read();
    if (first < 0) {
      return null;
    }
    DataInputStream in = new DataInputStream(stream);
    int second = in.readUnsignedByte();
    if ((second & 0x80) != 0) {
      throw new IOException("the server masked a frame");
    }
    byte[] payload = new byte[length(in, second)];
    in.readFully(payload);
    return new ServerFrame((first & 0x80) != 0, first >> 4 & 7, first & 0x0F, payload);
  }

  private static int length(DataInputStream in, int second) throws IOException {
    long length =
        switch (second) {
          case 126 -> in.readUnsignedShort();
          case 127 -> in.readLong();
          default -> second;
        };
    boolean shortest = second < 126 || length > (second == 126 ? 125 : 0xFFFF);
    if (!shortest || length > Integer.MAX_VALUE) {
      throw new IOException("length " + length + " in the form " + second);
    }
    return (int) length;
  }

  /**
   * Returns a message assembled from its frames, not decompressed; null at the end of the stream.
   */
  public static ServerFrame assemble(Supplier<ServerFrame> frames) {
    ServerFrame first = frames.get();
    if (first == null || first.fin()) {
      return first;
    }
    ByteArrayOutputStream payload = new ByteArrayOutputStream();
    ServerFrame frame = first;
    payload.writeBytes(frame.payload());
    while (!frame.fin()) {
      frame = frames.get();
      if (frame.opcode() != CONTINUATION || frame.rsv() != 0) {
        throw new AssertionError("not a continuation: " + frame);
      }
      payload.writeBytes(frame.payload());
    }
    return new ServerFrame(true, first.rsv(), first.opcode(), payload.toByteArray());
  }
}
