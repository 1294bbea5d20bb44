package io.sluice.loadtest.load.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.sluice.loadtest.load.frame.MaskedFrame;
import java.io.ByteArrayOutputStream;

/** Encoder of a client's STOMP 1.2 frames in WebSocket frames. Stateless, for any thread. */
final class StompRequest {
  private StompRequest() {}

  /**
   * Appends a frame.
   *
   * @param headers names and values in turn
   */
  static void write(ByteBuf out, String command, byte[] body, String... headers) {
    StringBuilder head = new StringBuilder(command).append('\n');
    for (int i = 0; i < headers.length; i += 2) {
      head.append(headers[i]).append(':').append(escaped(headers[i + 1])).append('\n');
    }
    if (body.length > 0) {
      head.append("content-length:").append(body.length).append('\n');
    }
    ByteArrayOutputStream frame = new ByteArrayOutputStream();
    frame.writeBytes(head.append('\n').toString().getBytes(UTF_8));
    frame.writeBytes(body);
    frame.write(0);
    MaskedFrame.write(out, MaskedFrame.TEXT, frame.toByteArray());
  }

  private static String escaped(String value) {
    return value
        .replace("\\", "\\\\")
        .replace("\n", "\\n")
        .replace("\r", "\\r")
        .replace(":", "\\c");
  }
}
