package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.websocket.Utf8Check;

/**
 * What one request to {@code /stream} says: lines of text, each of them a frame. Holds what has
 * come of it, on the heap, and grows with that, not with what a header claims. Bound to one event
 * loop.
 */
final class RequestBody implements AutoCloseable {
  /** How it went with some more bytes. */
  enum Added {
    KEPT,
    /** More than one request may have. */
    TOO_LONG,
    /** More than all requests of the loop may have together. */
    NO_ROOM,
    /** No text could have them there. */
    NOT_TEXT
  }

  private final int maxBytes;
  private final ByteBudget budget;
  private ByteBuf bytes = Unpooled.buffer();
  private int size;
  private int next;
  private byte utf8 = Utf8Check.BOUNDARY;
  private boolean blank = true;

  /**
   * @param maxBytes most that a request may have
   * @param budget of all requests of the event loop
   */
  RequestBody(int maxBytes, ByteBudget budget) {
    this.maxBytes = maxBytes;
    this.budget = budget;
  }

  /** Adds what has come. If it is not kept, nothing more may be added. */
  Added add(byte[] chunk) {
    if (chunk.length > maxBytes - size) {
      return Added.TOO_LONG;
    }
    if (!budget.take(chunk.length)) {
      return Added.NO_ROOM;
    }
    bytes.writeBytes(chunk);
    utf8 = Utf8Check.advance(utf8, bytes, size, chunk.length);
    blank = blank && isBlank(size, size + chunk.length);
    size += chunk.length;
    return utf8 == Utf8Check.INVALID ? Added.NOT_TEXT : Added.KEPT;
  }

  /** Whether all that was added is a whole text. */
  boolean isText() {
    return utf8 == Utf8Check.BOUNDARY;
  }

  /** Whether no line says anything. */
  boolean isBlank() {
    return blank;
  }

  /**
   * The next line that is not blank, without its end, or null if there is none. It is lent until
   * the next call.
   */
  ByteBuf nextLine() {
    int start = next;
    for (int at = next; at < size; at++) {
      byte b = bytes.getByte(at);
      if (b == '\n') {
        start = at + 1;
      } else if (!isBlank(b)) {
        int found = bytes.indexOf(at, size, (byte) '\n');
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

  /** Forgets everything, so that there is no next line. Can be called again. */
  @Override
  public void close() {
    budget.giveBack(size);
    size = 0;
    bytes = Unpooled.EMPTY_BUFFER;
  }
}
