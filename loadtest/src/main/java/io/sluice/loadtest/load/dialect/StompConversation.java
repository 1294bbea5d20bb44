package io.sluice.loadtest.load.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.sluice.loadtest.load.frame.FrameParser;
import io.sluice.loadtest.load.frame.FrameScanner;
import io.sluice.loadtest.load.frame.UnitScanner;

/** Conversation in STOMP 1.2. Bound to the client's event loop. */
final class StompConversation extends StreamConversation {
  private static final byte[] EMPTY = {};

  /** Virtual host of brokers that have several; others ignore it. */
  private static final String HOST = "/";

  private final String token;
  private final String topic;
  private final FrameParser frames = new FrameScanner(new Scanner());

  /**
   * Creates a conversation.
   *
   * @param token the passcode, or null
   * @param topic the destination, or null for a client that only publishes
   */
  StompConversation(String token, String topic, Conversation.Listener listener) {
    super(listener);
    this.token = token;
    this.topic = topic;
  }

  @Override
  FrameParser frames() {
    return frames;
  }

  // Header values of CONNECT are not escaped; a token contains no characters that would be.
  @Override
  public void begin(ByteBuf out) {
    if (token == null) {
      StompRequest.write(
          out, "CONNECT", EMPTY, "accept-version", "1.2", "host", HOST, "heart-beat", "0,0");
    } else {
      StompRequest.write(
          out,
          "CONNECT",
          EMPTY,
          "accept-version",
          "1.2",
          "host",
          HOST,
          "heart-beat",
          "0,0",
          "login",
          "sluice-load",
          "passcode",
          token);
    }
  }

  private void onConnected() {
    if (topic == null) {
      listener().onSubscribed();
      return;
    }
    ByteBuf out = listener().out();
    StompRequest.write(
        out, "SUBSCRIBE", EMPTY, "id", "1", "destination", topic, "ack", "auto", "receipt", "1");
    listener().send(out);
  }

  /** Scanner of the server's frames. */
  private final class Scanner extends UnitScanner {
    private static final String LENGTH = "content-length:";

    private int bodyStart;
    private long bodyBytes;

    @Override
    protected int headBytes(ByteBuf bytes, int start, int available) {
      if (isLineEnd(bytes.getByte(start))) {
        return 1; // after a frame, or a heart-beat
      }
      if (!readHeaders(bytes, start, available)) {
        return available + 1;
      }
      int header = bodyStart - start;
      if (bodyBytes >= 0) {
        return header + (int) Math.min(bodyBytes, STAMP_BYTES);
      }
      int inspected = Math.min(available - header, STAMP_BYTES);
      int end = bytes.indexOf(bodyStart, bodyStart + inspected, (byte) 0);
      if (end >= 0) {
        return end - start;
      }
      return inspected == STAMP_BYTES ? header + STAMP_BYTES : available + 1;
    }

    private static boolean isLineEnd(byte value) {
      return value == '\n' || value == '\r';
    }

    /** Sets the start and the length of the body, unless the headers are incomplete. */
    private boolean readHeaders(ByteBuf bytes, int start, int available) {
      bodyBytes = -1;
      int end = start + available;
      int line = start;
      for (int at = bytes.indexOf(line, end, (byte) '\n');
          at >= 0;
          at = line < end ? bytes.indexOf(line, end, (byte) '\n') : -1) {
        int length = at > line && bytes.getByte(at - 1) == '\r' ? at - 1 - line : at - line;
        if (length == 0) {
          bodyStart = at + 1;
          return true;
        }
        if (bodyBytes < 0 && startsWith(bytes, line, length, LENGTH)) {
          bodyBytes = number(bytes, line + LENGTH.length(), line + length);
        }
        line = at + 1;
      }
      return false;
    }

    private static long number(ByteBuf bytes, int start, int end) {
      long value = 0;
      for (int i = start; i < end; i++) {
        int digit = bytes.getByte(i) - '0';
        if (digit < 0 || digit > 9 || value > Integer.MAX_VALUE) {
          return -1;
        }
        value = value * 10 + digit;
      }
      return value;
    }

    @Override
    protected String process(ByteBuf bytes, int start, int count) {
      if (isLineEnd(bytes.getByte(start))) {
        return null;
      }
      int inspected = start + count - bodyStart;
      if (bodyBytes >= 0) {
        skip(bodyBytes - inspected + 1); // and NUL
      } else {
        skipTo('\0');
      }
      return onFrame(bytes, start, count, inspected);
    }

    private String onFrame(ByteBuf bytes, int start, int count, int inspected) {
      if (startsWith(bytes, start, count, "MESSAGE")) {
        listener().onMessage(bytes, bodyStart, inspected);
      } else if (startsWith(bytes, start, count, "CONNECTED")) {
        onConnected();
      } else if (startsWith(bytes, start, count, "RECEIPT")) {
        listener().onSubscribed();
      } else if (startsWith(bytes, start, count, "ERROR")) {
        listener().onRefused(message(bytes.toString(start, count, UTF_8)));
      } else {
        return "a frame has an unknown command";
      }
      return null;
    }

    private static String message(String frame) {
      return frame
          .lines()
          .filter(line -> line.startsWith("message:"))
          .findFirst()
          .map(line -> line.substring("message:".length()))
          .orElse("an ERROR frame without message");
    }
  }
}
