package io.sluice.gateway.websocket;

import io.netty.buffer.ByteBuf;

/**
 * Incremental validator of UTF-8 (RFC 3629), which rejects a text at its first invalid byte.
 * Stateless, for any thread: the caller stores the state, one byte.
 */
public final class Utf8Check {
  /** State between two characters: text may begin and end here. */
  public static final byte BOUNDARY = 0;

  /** State after an invalid byte. */
  public static final byte INVALID = -1;

  private static final byte ONE_MORE = 1;
  private static final byte TWO_MORE = 2;
  private static final byte THREE_MORE = 3;
  // The range of the byte after these lead bytes is narrower, which excludes overlong encodings,
  // surrogates and code points past U+10FFFF.
  private static final byte AFTER_E0 = 4;
  private static final byte AFTER_ED = 5;
  private static final byte AFTER_F0 = 6;
  private static final byte AFTER_F4 = 7;

  private static final long NOT_ASCII = 0x8080808080808080L;

  private Utf8Check() {}

  /**
   * Returns the state after further bytes of the text.
   *
   * @param start absolute index of the first byte; the indices of the buffer do not change
   */
  public static byte advance(byte state, ByteBuf bytes, int start, int count) {
    int end = start + count;
    int index = start;
    byte now = state;
    while (index < end && now != INVALID) {
      if (now == BOUNDARY && index <= end - Long.BYTES && (bytes.getLong(index) & NOT_ASCII) == 0) {
        index += Long.BYTES;
      } else {
        now = advance(now, bytes.getByte(index++));
      }
    }
    return now;
  }

  /** Returns whether bytes are a complete text. */
  static boolean isText(ByteBuf bytes, int start, int count) {
    return advance(BOUNDARY, bytes, start, count) == BOUNDARY;
  }

  private static byte advance(byte state, byte next) {
    return switch (state) {
      case BOUNDARY -> next >= 0 ? BOUNDARY : afterLead(next & 0xFF);
      case ONE_MORE -> within(next, 0x80, 0xBF, BOUNDARY);
      case TWO_MORE -> within(next, 0x80, 0xBF, ONE_MORE);
      case THREE_MORE -> within(next, 0x80, 0xBF, TWO_MORE);
      case AFTER_E0 -> within(next, 0xA0, 0xBF, ONE_MORE);
      case AFTER_ED -> within(next, 0x80, 0x9F, ONE_MORE);
      case AFTER_F0 -> within(next, 0x90, 0xBF, TWO_MORE);
      case AFTER_F4 -> within(next, 0x80, 0x8F, TWO_MORE);
      default -> INVALID;
    };
  }

  private static byte afterLead(int lead) {
    if (lead < 0xC2 || lead > 0xF4) {
      return INVALID;
    }
    if (lead < 0xE0) {
      return ONE_MORE;
    }
    return switch (lead) {
      case 0xE0 -> AFTER_E0;
      case 0xED -> AFTER_ED;
      case 0xF0 -> AFTER_F0;
      case 0xF4 -> AFTER_F4;
      default -> lead < 0xF0 ? TWO_MORE : THREE_MORE;
    };
  }

  private static byte within(byte next, int low, int high, byte then) {
    int value = next & 0xFF;
    return value >= low && value <= high ? then : INVALID;
  }
}
