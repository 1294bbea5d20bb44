package io.sluice.gateway.stomp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;

/** Writer of the bytes of one server frame. For one thread. */
final class StompText {
  private static final byte[] NO_BODY = {};

  private final ByteBuf out;
  private final StompVersion version;

  /**
   * @param out receives the frame, and stays the caller's
   */
  StompText(ByteBuf out, StompVersion version) {
    this.out = out;
    this.version = version;
  }

  /** Begins a frame. */
  StompText command(String command) {
    out.writeCharSequence(command, StandardCharsets.US_ASCII);
    out.writeByte('\n');
    return this;
  }

  /** Adds a header whose value is escaped; none if the value is null. */
  StompText header(String name, String value) {
    if (value != null) {
      raw(StompEscapes.escape(name, version), StompEscapes.escape(value, version));
    }
    return this;
  }

  /** Adds a header that has no characters to escape. */
  StompText header(String name, long value) {
    raw(name, Long.toString(value));
    return this;
  }

  /** Adds a header as it is, as frames do that open a session. */
  StompText raw(String name, String value) {
    ByteBufUtil.writeUtf8(out, name);
    out.writeByte(':');
    ByteBufUtil.writeUtf8(out, value);
    out.writeByte('\n');
    return this;
  }

  /** Ends the frame without a body. */
  void end() {
    out.writeByte('\n').writeByte(0);
  }

  /** Ends the frame with a body. */
  void end(byte[] body) {
    header("content-length", body.length);
    out.writeByte('\n').writeBytes(body).writeByte(0);
  }

  /** Returns a text as the body of a frame. */
  static byte[] body(String text) {
    return text == null ? NO_BODY : text.getBytes(StandardCharsets.UTF_8);
  }
}
