package io.sluice.gateway.websocket;

import io.netty.buffer.ByteBuf;

/**
 * Layout and rules of the header of a client's frame: RFC 6455, section 5.2. Stateless, for any
 * thread.
 */
final class FrameHeader {
  static final int MASK_BYTES = 4;

  /** Maximum length of a header. */
  static final int MAX_BYTES = 14;

  private static final int FIN = 0x80;
  private static final int RSV1 = 0x40;
  private static final int RSV = 0x70;
  private static final int OPCODE = 0x0F;
  private static final int CONTROL = 0x08;
  private static final int MASKED = 0x80;
  private static final int SHORT_LENGTH = 0x7F;

  private FrameHeader() {}

  static int opcode(int first) {
    return first & OPCODE;
  }

  static boolean isLast(int first) {
    return (first & FIN) != 0;
  }

  static boolean isDeflated(int first) {
    return (first & RSV1) != 0;
  }

  static boolean isControl(int first) {
    return (first & CONTROL) != 0;
  }

  static boolean isText(int first) {
    return opcode(first) == WebSocketFrame.TEXT;
  }

  /** Returns whether the frame is the first one of a message. */
  static boolean opensMessage(int first) {
    return isText(first) || opcode(first) == WebSocketFrame.BINARY;
  }

  /** Returns the number of bytes of the header before the mask. */
  static int bytesBeforeMask(int second) {
    return switch (second & SHORT_LENGTH) {
      case 126 -> 2 + Short.BYTES;
      case 127 -> 2 + Long.BYTES;
      default -> 2;
    };
  }

  /** Returns the length of the payload; negative if its top bit is set. */
  static long length(ByteBuf header, int start) {
    int length = header.getByte(start + 1) & SHORT_LENGTH;
    return switch (length) {
      case 126 -> header.getUnsignedShort(start + 2);
      case 127 -> header.getLong(start + 2);
      default -> length;
    };
  }

  /**
   * Checks the first two bytes. Returns the violation, or null.
   *
   * @param insideMessage whether a fragmented message has begun and not ended
   * @param deflate whether permessage-deflate was negotiated
   */
  static String faultOfStart(int first, int second, boolean insideMessage, boolean deflate) {
    int allowed = deflate && opensMessage(first) ? RSV1 : 0;
    if ((first & RSV & ~allowed) != 0) {
      return "reserved bit is set";
    }
    if ((second & MASKED) == 0) {
      return "frame is not masked";
    }
    return isControl(first) ? faultOfControl(first, second) : faultOfData(first, insideMessage);
  }

  private static String faultOfControl(int first, int second) {
    if (opcode(first) > WebSocketFrame.PONG) {
      return "opcode is reserved";
    }
    if (!isLast(first)) {
      return "control frame is fragmented";
    }
    return (second & SHORT_LENGTH) > WebSocketFrame.MAX_CONTROL_PAYLOAD
        ? "control frame is longer than 125 bytes"
        : null;
  }

  private static String faultOfData(int first, boolean insideMessage) {
    if (opensMessage(first)) {
      return insideMessage ? "new message inside a fragmented one" : null;
    }
    if (opcode(first) != WebSocketFrame.CONTINUATION) {
      return "opcode is reserved";
    }
    return insideMessage ? null : "continuation of no message";
  }

  /** Checks the encoding of the length. Returns the violation, or null. */
  static String faultOfLength(int second, long length) {
    if (length < 0) {
      return "frame length has its top bit set";
    }
    boolean shortest =
        switch (second & SHORT_LENGTH) {
          case 126 -> length > 125;
          case 127 -> length > 0xFFFF;
          default -> true;
        };
    return shortest ? null : "frame length is not in its shortest form";
  }
}
