package io.sluice.loadtest.load.frame;

import io.netty.buffer.ByteBuf;

/**
 * Scanner of a byte stream of units. It inspects the head of each unit and skips the rest. Bound to
 * its client's event loop.
 *
 * <p>Between two reads it stores the number of bytes to skip, or an incomplete head. Nothing is
 * allocated for a unit whose head is in one buffer.
 */
public abstract class UnitScanner implements FrameScanner.Payload {
  /** Limit of a head, which a valid server does not reach. */
  static final int MAX_HEAD = 16 * 1024;

  private static final byte[] NONE = {};

  private byte[] head = NONE;
  private long rest;
  private int delimiter = -1;

  @Override
  public final String read(ByteBuf in, ByteBuf scratch) {
    String fault = null;
    while (fault == null && in.isReadable()) {
      if (delimiter >= 0) {
        skipToDelimiter(in);
      } else if (rest > 0) {
        int count = (int) Math.min(rest, in.readableBytes());
        in.skipBytes(count);
        rest -= count;
      } else if (head.length == 0) {
        fault = readHead(in);
      } else {
        fault = readRestOfHead(in, scratch);
      }
    }
    return fault;
  }

  private void skipToDelimiter(ByteBuf in) {
    int end = in.indexOf(in.readerIndex(), in.writerIndex(), (byte) delimiter);
    if (end < 0) {
      in.readerIndex(in.writerIndex());
    } else {
      in.readerIndex(end + 1);
      delimiter = -1;
    }
  }

  private String readHead(ByteBuf in) {
    int available = in.readableBytes();
    int needed = headBytes(in, in.readerIndex(), available);
    if (needed > available) {
      return store(in, available);
    }
    int start = in.readerIndex();
    in.skipBytes(needed);
    return process(in, start, needed);
  }

  private String readRestOfHead(ByteBuf in, ByteBuf scratch) {
    int before = head.length;
    int more = Math.min(in.readableBytes(), MAX_HEAD - before);
    scratch.clear().writeBytes(head).writeBytes(in, in.readerIndex(), more);
    int needed = headBytes(scratch, 0, before + more);
    if (needed > before + more) {
      in.skipBytes(more);
      return store(scratch, before + more);
    }
    in.skipBytes(needed - before);
    head = NONE;
    return process(scratch, 0, needed);
  }

  private String store(ByteBuf from, int count) {
    if (count >= MAX_HEAD) {
      return "a frame's header exceeds " + MAX_HEAD + " bytes";
    }
    head = new byte[count];
    from.readBytes(head);
    return null;
  }

  /** Skips bytes after the head being processed. */
  protected final void skip(long count) {
    rest = count;
  }

  /** Skips the bytes after the head being processed up to the delimiter, and the delimiter. */
  protected final void skipTo(char end) {
    delimiter = end;
  }

  /**
   * Returns the number of bytes of the next unit's head. It must not depend on bytes after the
   * head.
   *
   * @return a number above {@code available} if more bytes are required
   */
  protected abstract int headBytes(ByteBuf bytes, int start, int available);

  /**
   * Processes the head of a unit.
   *
   * @return a protocol violation, or null
   */
  protected abstract String process(ByteBuf bytes, int start, int count);

  /** Returns whether the bytes at {@code start} are these ASCII characters. */
  protected static boolean startsWith(ByteBuf bytes, int start, int count, String word) {
    if (count < word.length()) {
      return false;
    }
    for (int i = 0; i < word.length(); i++) {
      if (bytes.getByte(start + i) != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
