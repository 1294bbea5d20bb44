package io.sluice.loadtest.load.frame;

import io.netty.buffer.ByteBuf;

/**
 * Stamp at the beginning of a payload: {@code TS=<unix time in ns> SEQ=<number in the topic> }. One
 * object reads many messages. Bound to its event loop.
 */
public final class PayloadStamp {
  private static final int MAX_DIGITS = 18 + 1;

  private long unixNanos;
  private long sequence;
  private int at;

  /** Reads the first stamp within the bytes, and returns whether there is one. */
  public boolean read(ByteBuf bytes, int start, int count) {
    int end = start + count;
    at = start;
    while (at < end) {
      at = bytes.indexOf(at, end, (byte) 'T');
      if (at < 0) {
        return false;
      }
      if (skip(bytes, end, "TS=")) {
        unixNanos = number(bytes, end);
        if (unixNanos >= 0 && skip(bytes, end, " SEQ=")) {
          sequence = number(bytes, end);
          return sequence >= 0 && skip(bytes, end, " ");
        }
      }
    }
    return false;
  }

  private boolean skip(ByteBuf bytes, int end, String word) {
    for (int i = 0; i < word.length(); i++) {
      if (at + i >= end || bytes.getByte(at + i) != word.charAt(i)) {
        at += Math.max(1, i);
        return false;
      }
    }
    at += word.length();
    return true;
  }

  private long number(ByteBuf bytes, int end) {
    int first = at;
    long value = 0;
    while (at < end && bytes.getByte(at) >= '0' && bytes.getByte(at) <= '9') {
      value = value * 10 + bytes.getByte(at) - '0';
      at++;
    }
    return at == first || at - first > MAX_DIGITS ? -1 : value;
  }

  /** Returns the time at which the latest message was due. */
  public long unixNanos() {
    return unixNanos;
  }

  /** Returns the sequence number of the latest message in its topic. */
  public long sequence() {
    return sequence;
  }
}
