package io.sluice.gateway.streams.route;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;

/**
 * Writer of the fields of an event: WHATWG HTML, section 9.2. Stateless, for any thread.
 *
 * <p>A line ends with LF. A value with line ends (LF, CR, or both) is written as several lines of
 * one field, which the client joins with LF.
 */
public final class EventText {
  private static final byte[] DATA = ascii("data:");
  private static final byte[] EVENT = ascii("event: ");
  private static final byte[] ID = ascii("id: ");
  private static final byte[] RETRY = ascii("retry: ");
  private static final byte LF = '\n';
  private static final byte CR = '\r';

  private EventText() {}

  /** Returns the bytes of a text. */
  public static byte[] ascii(String text) {
    return text.getBytes(US_ASCII);
  }

  /** Writes the data of an event; at least one line, because an event without data is dropped. */
  public static void data(byte[] utf8, ByteBuf out) {
    int start = 0;
    for (int i = 0; i < utf8.length; i++) {
      byte b = utf8[i];
      if (b == LF || b == CR) {
        line(utf8, start, i, out);
        boolean pair = b == CR && i + 1 < utf8.length && utf8[i + 1] == LF;
        i += pair ? 1 : 0;
        start = i + 1;
      }
    }
    line(utf8, start, utf8.length, out);
  }

  // A client removes one space at the beginning of a value.
  private static void line(byte[] value, int from, int to, ByteBuf out) {
    out.writeBytes(DATA);
    if (from < to && value[from] == ' ') {
      out.writeByte(' ');
    }
    out.writeBytes(value, from, to - from).writeByte(LF);
  }

  /** Writes the type of an event, which has no line end. */
  public static void type(String type, ByteBuf out) {
    out.writeBytes(EVENT);
    out.writeCharSequence(type, US_ASCII);
    out.writeByte(LF);
  }

  /** Writes the id of an event, which has no line end. */
  public static void id(CharSequence id, ByteBuf out) {
    out.writeBytes(ID);
    out.writeCharSequence(id, US_ASCII);
    out.writeByte(LF);
  }

  /** Writes the time after which the client connects again. */
  public static void retry(long ms, ByteBuf out) {
    out.writeBytes(RETRY);
    out.writeCharSequence(Long.toString(ms), US_ASCII);
    out.writeByte(LF);
  }

  /** Ends an event. */
  public static void end(ByteBuf out) {
    out.writeByte(LF);
  }

  /** Writes a complete event without an id. */
  public static void event(String type, String data, ByteBuf out) {
    type(type, out);
    data(data.getBytes(UTF_8), out);
    end(out);
  }
}
