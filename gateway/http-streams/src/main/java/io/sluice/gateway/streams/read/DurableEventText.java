package io.sluice.gateway.streams.read;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.streams.route.EventText;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Events of Durable Streams: messages in an event {@code data}, which an event {@code control}
 * follows with the offset behind them. Stateless, for any thread.
 */
final class DurableEventText {
  private DurableEventText() {}

  /** Writes an event with messages. */
  static void data(PayloadView view, byte[] body, ByteBuf out) {
    EventText.type("data", out);
    EventText.data(view == PayloadView.BYTES ? Base64.getEncoder().encode(body) : body, out);
    EventText.end(out);
  }

  /** Writes the event that ends a group of messages. */
  static void control(String next, long cursor, boolean upToDate, ByteBuf out) {
    String members =
        "event: control\ndata:{\"streamNextOffset\":\""
            + next
            + "\",\"streamCursor\":\""
            + cursor
            + (upToDate ? "\",\"upToDate\":true}\n\n" : "\"}\n\n");
    out.writeCharSequence(members, StandardCharsets.US_ASCII);
  }
}
