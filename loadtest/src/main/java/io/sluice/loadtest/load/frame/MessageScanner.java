package io.sluice.loadtest.load.frame;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Parser of whole messages of a server with permessage-deflate (RFC 7692), which keeps the
 * decompressor's window over all messages. Bound to its client's event loop.
 */
public final class MessageScanner implements FrameParser {
  private static final int CONTINUATION = 0;
  private static final int TEXT = 1;
  private static final int BINARY = 2;
  private static final int CLOSE = 8;
  private static final int PING = 9;
  private static final int PONG = 10;

  private static final int FIN = 0x80;
  private static final int COMPRESSED = 0x40;
  private static final int OTHER_RSV = 0x30;
  private static final int OPCODE = 0x0F;
  private static final int CONTROL = 0x08;
  private static final int LENGTH = 0x7F;
  private static final int MAX_CONTROL = 125;
  private static final int NO_CODE = 1005;

  /** Bounds the memory that a defective server can occupy. */
  private static final long MAX_MESSAGE = 256L * 1024 * 1024;

  private static final byte[] TAIL = {0, 0, -1, -1};

  private final Inflater inflater = new Inflater(true);
  private final boolean takeover;
  private final byte[] chunk = new byte[4096];
  private final ByteArrayOutputStream fragments = new ByteArrayOutputStream();

  /** Bytes of an incomplete frame, or null. */
  private ByteBuf pending;

  private int opcode;
  private boolean compressed;
  private boolean closed;

  /**
   * Creates a parser.
   *
   * @param takeover whether the server may refer to earlier messages
   */
  public MessageScanner(boolean takeover) {
    this.takeover = takeover;
  }

  @Override
  public String read(ByteBuf in, ByteBuf scratch, FrameScanner.Listener listener) {
    ByteBuf bytes = in;
    if (pending != null) {
      pending.writeBytes(in);
      bytes = pending;
    }
    String fault = null;
    while (fault == null && !closed && isComplete(bytes)) {
      fault = readFrame(bytes, listener);
    }
    keep(bytes, in);
    return fault;
  }

  private void keep(ByteBuf bytes, ByteBuf in) {
    if (bytes == pending) {
      pending = bytes.isReadable() ? bytes.discardReadBytes() : null;
    } else if (in.isReadable()) {
      pending = Unpooled.buffer(in.readableBytes()).writeBytes(in);
    }
  }

  private static boolean isComplete(ByteBuf bytes) {
    int available = bytes.readableBytes();
    return available >= 2
        && available >= headerBytes(bytes)
        && available - headerBytes(bytes) >= length(bytes);
  }

  private static int headerBytes(ByteBuf bytes) {
    return switch (bytes.getByte(bytes.readerIndex() + 1) & LENGTH) {
      case 126 -> 2 + Short.BYTES;
      case 127 -> 2 + Long.BYTES;
      default -> 2;
    };
  }

  // At least -1 for an invalid length, which is then rejected.
  private static long length(ByteBuf bytes) {
    int start = bytes.readerIndex();
    int length = bytes.getByte(start + 1) & LENGTH;
    return switch (length) {
      case 126 -> bytes.getUnsignedShort(start + 2);
      case 127 -> {
        long eight = bytes.getLong(start + 2);
        yield eight < 0 || eight > MAX_MESSAGE ? -1 : eight;
      }
      default -> length;
    };
  }

  private String readFrame(ByteBuf bytes, FrameScanner.Listener listener) {
    int first = bytes.getByte(bytes.readerIndex());
    boolean masked = bytes.getByte(bytes.readerIndex() + 1) < 0;
    long length = length(bytes);
    String fault = fault(first, masked, length);
    if (fault != null) {
      return fault;
    }
    bytes.skipBytes(headerBytes(bytes));
    ByteBuf payload = bytes.readSlice((int) length);
    if ((first & CONTROL) != 0) {
      onControl(first & OPCODE, payload, listener);
      return null;
    }
    listener.onData(length);
    return onData(first, payload, listener);
  }

  private String fault(int first, boolean masked, long length) {
    int code = first & OPCODE;
    boolean control = (first & CONTROL) != 0;
    boolean begun = opcode != 0;
    if ((first & OTHER_RSV) != 0
        || (first & COMPRESSED) != 0 && (control || code == CONTINUATION)) {
      return "a frame has a reserved bit set";
    }
    if (code > BINARY && (code < CLOSE || code > PONG)) {
      return "a frame has the reserved opcode " + code;
    }
    if (masked) {
      return "a frame from the server is masked";
    }
    if (length < 0 || control && length > MAX_CONTROL) {
      return "a frame has an invalid length";
    }
    return !control && begun != (code == CONTINUATION) ? "a message is not complete" : null;
  }

  private static void onControl(int code, ByteBuf payload, FrameScanner.Listener listener) {
    int count = payload.readableBytes();
    if (code == PING) {
      listener.onPing(payload, 0, count);
    } else if (code == CLOSE) {
      listener.onClose(count < Short.BYTES ? NO_CODE : payload.getUnsignedShort(0));
    }
  }

  private String onData(int first, ByteBuf payload, FrameScanner.Listener listener) {
    if ((first & OPCODE) != CONTINUATION) {
      opcode = first & OPCODE;
      compressed = (first & COMPRESSED) != 0;
    }
    byte[] part = ByteBufUtil.getBytes(payload);
    fragments.write(part, 0, part.length);
    if ((first & FIN) == 0) {
      return null;
    }
    byte[] content = fragments.toByteArray();
    fragments.reset();
    boolean text = opcode == TEXT;
    opcode = 0;
    if (compressed) {
      content = inflate(content);
      if (content == null) {
        return "a compressed message is damaged";
      }
    }
    listener.onMessage(content, text);
    return null;
  }

  /** Returns the content of a message, or null if it cannot be decompressed. */
  private byte[] inflate(byte[] message) {
    if (!takeover) {
      inflater.reset();
    }
    ByteArrayOutputStream content = new ByteArrayOutputStream(2 * message.length);
    try {
      inflate(message, content);
      inflate(TAIL, content);
    } catch (DataFormatException e) {
      return null;
    }
    return inflater.getRemaining() > 0 || inflater.finished() ? null : content.toByteArray();
  }

  private void inflate(byte[] part, ByteArrayOutputStream content) throws DataFormatException {
    inflater.setInput(part);
    for (int n = inflater.inflate(chunk); n > 0; n = inflater.inflate(chunk)) {
      content.write(chunk, 0, n);
      if (content.size() > MAX_MESSAGE) {
        throw new DataFormatException("larger than any message of a node");
      }
    }
  }

  @Override
  public void close() {
    closed = true; // possibly by a listener, within a call of read()
    inflater.end();
  }
}
