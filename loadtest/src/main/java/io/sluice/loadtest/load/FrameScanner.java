package io.sluice.loadtest.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;

/**
 * Finds the frames in what a server sends (RFC 6455, section 5.2), and passes over payloads without
 * touching them. Bound to its client's event loop.
 *
 * <p>Between two reads it keeps how much of a payload is still to come, or the few bytes of a frame
 * that cannot be judged yet.
 */
final class FrameScanner {
  /** Receives the frames that a {@link FrameScanner} finds. Buffers are lent for the call. */
  interface Listener {
    /** The payload of a data frame has begun; it may be a fragment of a message. */
    void onData(long payloadBytes);

    /** A binary message has begun. */
    void onBinary();

    /** The beginning of a text message, or all of it. */
    void onText(ByteBuf bytes, int start, int count);

    /** A ping with its payload. */
    void onPing(ByteBuf bytes, int start, int count);

    /** A close frame with its code; 1005 if it has none. */
    void onClose(int code);
  }

  /** So much of a text message is shown to the listener. */
  static final int TEXT_HEAD = 256;

  /** The longest beginning of a frame that is ever kept: its header and what has to be seen. */
  static final int MAX_HEAD = 10 + TEXT_HEAD;

  private static final int CONTINUATION = 0;
  private static final int TEXT = 1;
  private static final int BINARY = 2;
  private static final int CLOSE = 8;
  private static final int PING = 9;
  private static final int PONG = 10;

  private static final int FIN = 0x80;
  private static final int RSV = 0x70;
  private static final int OPCODE = 0x0F;
  private static final int CONTROL = 0x08;
  private static final int MASKED = 0x80;
  private static final int SHORT_LENGTH = 0x7F;
  private static final int MAX_CONTROL_PAYLOAD = 125;
  private static final int NO_CODE = 1005;

  private long payloadLeft;
  private byte[] head;
  private byte[] text;

  /**
   * Reads all of the bytes.
   *
   * @param scratch takes {@link #MAX_HEAD} bytes; its content is of no use to anybody else
   * @return what is wrong with them, or null; nothing more can be read then
   */
  String read(ByteBuf in, ByteBuf scratch, Listener listener) {
    String fault = null;
    while (fault == null && in.isReadable()) {
      if (payloadLeft > 0) {
        int count = (int) Math.min(payloadLeft, in.readableBytes());
        in.skipBytes(count);
        payloadLeft -= count;
      } else if (head == null) {
        fault = readHead(in, listener);
      } else {
        fault = readRestOfHead(in, scratch, listener);
      }
    }
    return fault;
  }

  private String readHead(ByteBuf in, Listener listener) {
    int start = in.readerIndex();
    int available = in.readableBytes();
    int needed = headBytes(in, start, available);
    if (needed <= available) {
      in.skipBytes(needed);
      return take(in, start, needed, listener);
    }
    head = new byte[available];
    in.readBytes(head);
    return null;
  }

  private String readRestOfHead(ByteBuf in, ByteBuf scratch, Listener listener) {
    scratch.clear().writeBytes(head);
    int needed = headBytes(scratch, 0, scratch.readableBytes());
    while (needed > scratch.readableBytes() && in.isReadable()) {
      scratch.writeBytes(in, Math.min(needed - scratch.readableBytes(), in.readableBytes()));
      needed = headBytes(scratch, 0, scratch.readableBytes());
    }
    if (needed > scratch.readableBytes()) {
      head = new byte[scratch.readableBytes()];
      scratch.readBytes(head);
      return null;
    }
    head = null;
    return take(scratch, 0, needed, listener);
  }

  // How much of a frame has to be there before it can be judged, as far as can be said by now.
  private int headBytes(ByteBuf bytes, int start, int available) {
    if (available < 2) {
      return 2;
    }
    int header = headerBytes(bytes.getByte(start + 1));
    if (available < header) {
      return header;
    }
    return header + seenBytes(bytes.getByte(start) & OPCODE, length(bytes, start));
  }

  private static int headerBytes(int second) {
    return switch (second & SHORT_LENGTH) {
      case 126 -> 2 + Short.BYTES;
      case 127 -> 2 + Long.BYTES;
      default -> 2;
    };
  }

  private static long length(ByteBuf bytes, int start) {
    int length = bytes.getByte(start + 1) & SHORT_LENGTH;
    return switch (length) {
      case 126 -> bytes.getUnsignedShort(start + 2);
      case 127 -> bytes.getLong(start + 2);
      default -> length;
    };
  }

  // How much of the payload has to be seen. Nonsense has to be none: it is found when it is taken.
  private int seenBytes(int opcode, long length) {
    int most =
        switch (opcode) {
          case TEXT -> TEXT_HEAD;
          case CONTINUATION -> text == null ? 0 : TEXT_HEAD - text.length;
          case CLOSE, PING -> MAX_CONTROL_PAYLOAD;
          default -> 0;
        };
    return (int) Math.max(0, Math.min(most, length));
  }

  private String take(ByteBuf bytes, int start, int taken, Listener listener) {
    int first = bytes.getByte(start);
    int second = bytes.getByte(start + 1);
    int opcode = first & OPCODE;
    long length = length(bytes, start);
    String fault = fault(first, second, length);
    if (fault != null) {
      return fault;
    }
    int payload = start + headerBytes(second);
    int seen = start + taken - payload;
    payloadLeft = length - seen;
    if ((opcode & CONTROL) == 0) {
      listener.onData(length);
    }
    switch (opcode) {
      case BINARY -> listener.onBinary();
      case TEXT, CONTINUATION ->
          takeText(opcode, (first & FIN) != 0, bytes, payload, seen, listener);
      case PING -> listener.onPing(bytes, payload, seen);
      case CLOSE ->
          listener.onClose(seen < Short.BYTES ? NO_CODE : bytes.getUnsignedShort(payload));
      default -> {
        // A pong that nobody asked for.
      }
    }
    return null;
  }

  private static String fault(int first, int second, long length) {
    int opcode = first & OPCODE;
    if ((first & RSV) != 0) {
      return "a frame has a reserved bit set";
    }
    if (opcode > BINARY && (opcode < CLOSE || opcode > PONG)) {
      return "a frame has the reserved opcode " + opcode;
    }
    if ((second & MASKED) != 0) {
      return "a frame of the server is masked";
    }
    if (length < 0 || (opcode & CONTROL) != 0 && length > MAX_CONTROL_PAYLOAD) {
      return "a frame has a length that is not allowed";
    }
    return null;
  }

  // Fragments are gathered until enough of the message is there.
  private void takeText(
      int opcode, boolean last, ByteBuf bytes, int start, int count, Listener listener) {
    if (opcode == CONTINUATION && text == null) {
      return;
    }
    if (opcode == TEXT && (last || count == TEXT_HEAD)) {
      listener.onText(bytes, start, count);
      return;
    }
    byte[] before = opcode == TEXT || text == null ? new byte[0] : text;
    text = Arrays.copyOf(before, before.length + count);
    bytes.getBytes(start, text, before.length, count);
    if (last || text.length == TEXT_HEAD) {
      byte[] gathered = text;
      text = null;
      listener.onText(Unpooled.wrappedBuffer(gathered), 0, gathered.length);
    }
  }
}
