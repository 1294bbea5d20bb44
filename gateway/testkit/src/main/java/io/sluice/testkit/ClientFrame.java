package io.sluice.testkit;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Client frame, valid or invalid. Immutable. */
public final class ClientFrame {
  public static final int CONTINUATION = 0;
  public static final int TEXT = 1;
  public static final int BINARY = 2;
  public static final int CLOSE = 8;
  public static final int PING = 9;
  public static final int PONG = 10;

  /** Encoding of the length. */
  public enum LengthForm {
    SHORTEST,
    BITS_16,
    BITS_64
  }

  private record Header(
      int opcode,
      boolean fin,
      int rsv,
      boolean masked,
      int mask,
      LengthForm form,
      long claimedLength) {}

  private final Header header;
  private final byte[] payload;

  private ClientFrame(Header header, byte[] payload) {
    this.header = header;
    this.payload = payload;
  }

  public static ClientFrame of(int opcode, byte[] payload) {
    Header plain =
        new Header(opcode, true, 0, true, 0x37FA213D, LengthForm.SHORTEST, payload.length);
    return new ClientFrame(plain, payload);
  }

  public static ClientFrame text(String payload) {
    return of(TEXT, payload.getBytes(StandardCharsets.UTF_8));
  }

  public static ClientFrame text(byte[] payload) {
    return of(TEXT, payload);
  }

  public static ClientFrame binary(byte[] payload) {
    return of(BINARY, payload);
  }

  public static ClientFrame continuation(byte[] payload) {
    return of(CONTINUATION, payload);
  }

  public static ClientFrame continuation(String payload) {
    return continuation(payload.getBytes(StandardCharsets.UTF_8));
  }

  public static ClientFrame ping(String payload) {
    return of(PING, payload.getBytes(StandardCharsets.UTF_8));
  }

  public static ClientFrame close(int code, String reason) {
    byte[] text = reason.getBytes(StandardCharsets.UTF_8);
    return close(ByteBuffer.allocate(2 + text.length).putShort((short) code).put(text).array());
  }

  public static ClientFrame close(byte[] payload) {
    return of(CLOSE, payload);
  }

  /** Returns a copy with FIN cleared. */
  public ClientFrame notLast() {
    Header h = header;
    return new ClientFrame(
        new Header(h.opcode, false, h.rsv, h.masked, h.mask, h.form, h.claimedLength), payload);
  }

  /** Returns a copy with reserved bits: 4 is RSV1, 2 is RSV2, 1 is RSV3. */
  public ClientFrame rsv(int bits) {
    Header h = header;
    return new ClientFrame(
        new Header(h.opcode, h.fin, bits, h.masked, h.mask, h.form, h.claimedLength), payload);
  }

  public ClientFrame unmasked() {
    Header h = header;
    return new ClientFrame(
        new Header(h.opcode, h.fin, h.rsv, false, h.mask, h.form, h.claimedLength), payload);
  }

  public ClientFrame mask(int mask) {
    Header h = header;
    return new ClientFrame(
        new Header(h.opcode, h.fin, h.rsv, h.masked, mask, h.form, h.claimedLength), payload);
  }

  public ClientFrame lengthForm(LengthForm form) {
    Header h = header;
    return new ClientFrame(
        new Header(h.opcode, h.fin, h.rsv, h.masked, h.mask, form, h.claimedLength), payload);
  }

  /** Returns a copy whose header contains another length than that of the payload. */
  public ClientFrame claiming(long length) {
    Header h = header;
    return new ClientFrame(
        new Header(h.opcode, h.fin, h.rsv, h.masked, h.mask, h.form, length), payload);
  }

  public int opcode() {
    return header.opcode;
  }

  public byte[] payload() {
    return payload;
  }

  /** Returns the encoded frame. */
  public byte[] bytes() {
    ByteBuffer out = ByteBuffer.allocate(14 + payload.length);
    out.put((byte) ((header.fin ? 0x80 : 0) | header.rsv << 4 | header.opcode));
    putLength(out);
    if (header.masked) {
      out.putInt(header.mask);
    }
    for (int i = 0; i < payload.length; i++) {
      int key = header.masked ? header.mask >>> (24 - 8 * (i & 3)) : 0;
      out.put((byte) (payload[i] ^ key));
    }
    byte[] bytes = new byte[out.flip().remaining()];
    out.get(bytes);
    return bytes;
  }

  private void putLength(ByteBuffer out) {
    int masked = header.masked ? 0x80 : 0;
    long length = header.claimedLength;
    boolean fits16 = length >= 0 && length <= 0xFFFF;
    if (header.form == LengthForm.SHORTEST && length >= 0 && length < 126) {
      out.put((byte) (masked | length));
    } else if (header.form != LengthForm.BITS_64 && fits16) {
      out.put((byte) (masked | 126)).putShort((short) length);
    } else {
      out.put((byte) (masked | 127)).putLong(length);
    }
  }

  /** Returns the concatenated bytes of several frames. */
  public static byte[] join(ClientFrame... frames) {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    for (ClientFrame frame : frames) {
      joined.writeBytes(frame.bytes());
    }
    return joined.toByteArray();
  }
}
