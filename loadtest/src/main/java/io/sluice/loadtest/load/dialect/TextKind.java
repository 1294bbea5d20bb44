package io.sluice.loadtest.load.dialect;

import io.netty.buffer.ByteBuf;

/**
 * Type of a text frame, by its first sixteen bytes. The gateway writes the type first and no white
 * space. Stateless, for any thread.
 */
enum TextKind {
  MESSAGE,
  SUBSCRIBED,
  ERROR,
  GAP,
  OTHER;

  private static final int INSPECTED_BYTES = 2 * Long.BYTES;
  private static final long TYPE = ofAscii("{\"type\":");
  private static final long MESSAGE_TYPE = ofAscii("\"message");
  private static final long SUBSCRIBED_TYPE = ofAscii("\"subscri");
  private static final long ERROR_TYPE = ofAscii("\"error\"\0");
  private static final long ERROR_MASK = maskOf("\"error\"");
  private static final long GAP_TYPE = ofAscii("\"gap\"\0\0\0");
  private static final long GAP_MASK = maskOf("\"gap\"");

  /** Returns the type of a text frame of which {@code count} bytes are available. */
  static TextKind of(ByteBuf bytes, int start, int count) {
    if (count < INSPECTED_BYTES || bytes.getLong(start) != TYPE) {
      return OTHER;
    }
    long type = bytes.getLong(start + Long.BYTES);
    if (type == MESSAGE_TYPE) {
      return MESSAGE;
    }
    if (type == SUBSCRIBED_TYPE) {
      return SUBSCRIBED;
    }
    if ((type & ERROR_MASK) == ERROR_TYPE) {
      return ERROR;
    }
    return (type & GAP_MASK) == GAP_TYPE ? GAP : OTHER;
  }

  /**
   * Returns a string member of a frame, or an empty string if the available bytes don't contain it.
   */
  static String member(String frame, String name) {
    String before = "\"" + name + "\":\"";
    int start = frame.indexOf(before);
    int end = start < 0 ? -1 : frame.indexOf('"', start + before.length());
    return end < 0 ? "" : frame.substring(start + before.length(), end);
  }

  private static long ofAscii(String eight) {
    long value = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      value = value << Byte.SIZE | eight.charAt(i);
    }
    return value;
  }

  private static long maskOf(String text) {
    return -1L << (Long.BYTES - text.length()) * Byte.SIZE;
  }
}
