package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.limits.Shares;
import io.sluice.gateway.websocket.Utf8Check;

/**
 * Buffered body of one request to {@code /stream}: lines of text, each of them a frame. Bound to
 * one event loop.
 *
 * <p>The buffer is on the heap. It grows with the received bytes, not with the announced length.
 */
final class RequestBody implements AutoCloseable {
  /** Result of {@link #add}. */
  enum AddResult {
    BUFFERED,
    /** The body exceeds its maximum length. */
    TOO_LONG,
    /** The bodies of the event loop, or of the address, exceed their quota. */
    QUOTA_EXCEEDED,
    /** The bytes are invalid UTF-8. */
    NOT_UTF8
  }

  private final int maxBytes;
  private final Shares quota;
  private final String address;
  private ByteBuf bytes = Unpooled.buffer();
  private int size;
  private int next;
  private byte utf8 = Utf8Check.BOUNDARY;
  private boolean blank = true;

  /**
   * @param maxBytes maximum length of a body
   * @param quota bytes of all bodies of the event loop, with shares of addresses
   * @param address name under which the client's address is counted
   */
  RequestBody(int maxBytes, Shares quota, String address) {
    this.maxBytes = maxBytes;
    this.quota = quota;
    this.address = address;
  }

  /** Adds received bytes. Unless they are buffered, no more may be added. */
  AddResult add(byte[] chunk) {
    if (chunk.length > maxBytes - size) {
      return AddResult.TOO_LONG;
    }
    if (!quota.take(address, chunk.length)) {
      return AddResult.QUOTA_EXCEEDED;
    }
    bytes.writeBytes(chunk);
    utf8 = Utf8Check.advance(utf8, bytes, size, chunk.length);
    blank = blank && isBlank(size, size + chunk.length);
    size += chunk.length;
    return utf8 == Utf8Check.INVALID ? AddResult.NOT_UTF8 : AddResult.BUFFERED;
  }

  /** Returns whether the body is complete UTF-8. */
  boolean isUtf8() {
    return utf8 == Utf8Check.BOUNDARY;
  }

  /** Returns whether all lines are blank. */
  boolean isBlank() {
    return blank;
  }

  /**
   * Returns the next line that is not blank, without its end, or null if there is none. It is valid
   * until the next call.
   */
  ByteBuf nextLine() {
    int start = next;
    for (int i = next; i < size; i++) {
      byte b = bytes.getByte(i);
      if (b == '\n') {
        start = i + 1;
      } else if (!isBlank(b)) {
        int found = bytes.indexOf(i, size, (byte) '\n');
        int end = found < 0 ? size : found;
        next = end + 1;
        return bytes.setIndex(start, end);
      }
    }
    next = size;
    return null;
  }

  private boolean isBlank(int start, int end) {
    for (int i = start; i < end; i++) {
      if (!isBlank(bytes.getByte(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || b == '\t' || b == '\r' || b == '\n';
  }

  /** Discards all lines and releases their quota. Can be called again. */
  @Override
  public void close() {
    quota.release(address, size);
    size = 0;
    bytes = Unpooled.EMPTY_BUFFER;
  }
}
