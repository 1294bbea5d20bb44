package io.sluice.loadtest.load.frame;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;

/**
 * Parser of a server's frames (RFC 6455, section 5.2) that skips payloads without reading them.
 * Bound to its client's event loop.
 *
 * <p>Between two reads it stores the number of outstanding payload bytes, or the first bytes of an
 * incomplete frame.
 */
public final class FrameScanner implements FrameParser {
  /** Receiver of parsed frames. Buffers are valid only during the call. */
  public interface Listener {
    /** Receives the payload length of a data frame, which may be a fragment of a message. */
    void onData(long payloadBytes);

    /** Receives a whole message, decompressed. Only {@link MessageScanner} calls it. */
    default void onMessage(byte[] content, boolean text) {
      throw new UnsupportedOperationException();
    }

    /**
     * Receives the first bytes of a binary message, as many as the scanner inspects. A fragmented
     * message may have fewer.
     */
    void onBinary(ByteBuf bytes, int start, int count);

    /** Receives the first {@link #TEXT_HEAD} bytes of a text message, or all of a shorter one. */
    void onText(ByteBuf bytes, int start, int count);

    /** Receives a ping with its payload. */
    void onPing(ByteBuf bytes, int start, int count);

    /** Receives a close frame with its code, or 1005 without a code. */
    void onClose(int code);
  }

  /** Receiver of all payload bytes of data frames. */
  public interface Payload {
    /**
     * Reads all of the bytes.
     *
     * @return a protocol violation, or null
     */
    String read(ByteBuf in, ByteBuf scratch);
  }

  /** Maximum number of a text message's bytes passed to the listener. */
  public static final int TEXT_HEAD = 256;

  /** Maximum size of an incomplete frame's stored bytes: the header and the inspected payload. */
  public static final int MAX_HEAD = 10 + TEXT_HEAD;

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

  private final int binaryHead;
  private final Payload payload;
  private long payloadLeft;
  private boolean data;
  private byte[] head;
  private byte[] text;

  /** Creates a scanner that reads nothing of binary messages. */
  public FrameScanner() {
    this(0);
  }

  /**
   * Creates a scanner.
   *
   * @param binaryHead number of a binary message's bytes to inspect, at most {@link #TEXT_HEAD}
   */
  public FrameScanner(int binaryHead) {
    this.binaryHead = binaryHead;
    this.payload = null;
  }

  /**
   * Creates a scanner that inspects no data frames.
   *
   * @param payload receives their payloads as one stream
   */
  public FrameScanner(Payload payload) {
    this.binaryHead = 0;
    this.payload = payload;
  }

  @Override
  public String read(ByteBuf in, ByteBuf scratch, Listener listener) {
    String fault = null;
    while (fault == null && in.isReadable()) {
      if (payloadLeft > 0) {
        fault = readPayload(in, scratch);
      } else if (head == null) {
        fault = readHead(in, listener);
      } else {
        fault = readRestOfHead(in, scratch, listener);
      }
    }
    return fault;
  }

  private String readPayload(ByteBuf in, ByteBuf scratch) {
    int count = (int) Math.min(payloadLeft, in.readableBytes());
    payloadLeft -= count;
    if (payload == null || !data) {
      in.skipBytes(count);
      return null;
    }
    int end = in.writerIndex();
    in.writerIndex(in.readerIndex() + count); // a slice without an object
    String fault = payload.read(in, scratch);
    in.writerIndex(end);
    return fault;
  }

  private String readHead(ByteBuf in, Listener listener) {
    int start = in.readerIndex();
    int available = in.readableBytes();
    int needed = headBytes(in, start, available);
    if (needed <= available) {
      in.skipBytes(needed);
      return process(in, start, needed, listener);
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
    return process(scratch, 0, needed, listener);
  }

  // Returns the bytes required to process the frame, or a lower bound while its header is
  // incomplete.
  private int headBytes(ByteBuf bytes, int start, int available) {
    if (available < 2) {
      return 2;
    }
    int header = headerBytes(bytes.getByte(start + 1));
    if (available < header) {
      return header;
    }
    return header + inspectedBytes(bytes.getByte(start) & OPCODE, length(bytes, start));
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

  // Returns the payload bytes to inspect; 0 for invalid frames, which process() rejects.
  private int inspectedBytes(int opcode, long length) {
    if (payload != null && (opcode & CONTROL) == 0) {
      return 0;
    }
    int max =
        switch (opcode) {
          case TEXT -> TEXT_HEAD;
          case BINARY -> binaryHead;
          case CONTINUATION -> text == null ? 0 : TEXT_HEAD - text.length;
          case CLOSE, PING -> MAX_CONTROL_PAYLOAD;
          default -> 0;
        };
    return (int) Math.max(0, Math.min(max, length));
  }

  private String process(ByteBuf bytes, int start, int count, Listener listener) {
    int first = bytes.getByte(start);
    int second = bytes.getByte(start + 1);
    int opcode = first & OPCODE;
    long length = length(bytes, start);
    String fault = fault(first, second, length);
    if (fault != null) {
      return fault;
    }
    int begin = start + headerBytes(second);
    int inspected = start + count - begin;
    payloadLeft = length - inspected;
    data = (opcode & CONTROL) == 0;
    if (data) {
      listener.onData(length);
    }
    if (data && payload != null) {
      return null;
    }
    switch (opcode) {
      case BINARY -> listener.onBinary(bytes, begin, inspected);
      case TEXT, CONTINUATION ->
          processText(opcode, (first & FIN) != 0, bytes, begin, inspected, listener);
      case PING -> listener.onPing(bytes, begin, inspected);
      case CLOSE ->
          listener.onClose(inspected < Short.BYTES ? NO_CODE : bytes.getUnsignedShort(begin));
      default -> {
        // Unsolicited pong frames are ignored.
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
      return "a frame from the server is masked";
    }
    if (length < 0 || (opcode & CONTROL) != 0 && length > MAX_CONTROL_PAYLOAD) {
      return "a frame has an invalid length";
    }
    return null;
  }

  // Collects fragments until TEXT_HEAD bytes or the message's end.
  private void processText(
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
      byte[] collected = text;
      text = null;
      listener.onText(Unpooled.wrappedBuffer(collected), 0, collected.length);
    }
  }
}
