package io.sluice.gateway.stomp;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.protocol.value.JsonReader;
import io.sluice.gateway.protocol.value.JsonText;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Framing of SockJS 0.3.3: texts in arrays of JSON. Stateless, for any thread. */
final class SockJs {
  private static final byte[] OPEN_ARRAY = StompFormat.ascii("a[\"");
  private static final byte[] CLOSE_ARRAY = StompFormat.ascii("\"]");

  /** Largest number of texts in a message of a client. */
  private static final int MAX_TEXTS = 1_000;

  private SockJs() {}

  /** Returns the first frame of a connection. */
  static ByteBuf open(ByteBufAllocator allocator) {
    return text(allocator, "o");
  }

  /** Returns the last frame of a connection. */
  static ByteBuf close(ByteBufAllocator allocator, int code, String reason) {
    return text(allocator, closeText(code, reason));
  }

  /** Returns the last frame of a connection, without a WebSocket header. */
  static byte[] closing(int code, String reason) {
    return closeText(code, reason).getBytes(StandardCharsets.UTF_8);
  }

  private static String closeText(int code, String reason) {
    return "c[" + code + "," + JsonText.quoted(reason) + "]";
  }

  private static ByteBuf text(ByteBufAllocator allocator, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    ByteBuf frame = allocator.directBuffer(utf8.length + WebSocketFrame.MAX_HEADER);
    WebSocketFrame.writeHeader(frame, WebSocketFrame.TEXT, false, utf8.length);
    return frame.writeBytes(utf8);
  }

  /**
   * Returns a STOMP frame in a WebSocket message of SockJS.
   *
   * @param stomp the frame, which is valid UTF-8; stays the caller's
   */
  static ByteBuf message(ByteBufAllocator allocator, ByteBuf stomp) {
    byte[] escaped = escaped(ByteBufUtil.getBytes(stomp));
    int length = OPEN_ARRAY.length + escaped.length + CLOSE_ARRAY.length;
    ByteBuf frame = allocator.directBuffer(WebSocketFrame.headerBytes(length) + length);
    WebSocketFrame.writeHeader(frame, WebSocketFrame.TEXT, false, length);
    return frame.writeBytes(OPEN_ARRAY).writeBytes(escaped).writeBytes(CLOSE_ARRAY);
  }

  /** Returns the number of bytes before the content of a message. */
  static int head() {
    return OPEN_ARRAY.length;
  }

  /** Returns UTF-8 as a JSON string without its quotation marks. */
  static byte[] escaped(byte[] utf8) {
    byte[] escaped = new byte[JsonText.MAX_ESCAPED * utf8.length];
    return Arrays.copyOf(escaped, JsonText.escape(utf8, 0, utf8.length, escaped));
  }

  /** Returns the texts in a message of a client: a string, or an array of strings. */
  static List<ByteBuf> texts(ByteBuf message) throws BadStomp {
    List<ByteBuf> texts = new ArrayList<>(1);
    if (!message.isReadable()) {
      return texts;
    }
    try (JsonParser parser = JsonReader.parser(ByteBufUtil.getBytes(message))) {
      JsonToken token = parser.nextToken();
      boolean isArray = token == JsonToken.START_ARRAY;
      token = isArray ? parser.nextToken() : token;
      while (token == JsonToken.VALUE_STRING) {
        if (texts.size() == MAX_TEXTS) {
          throw new BadStomp("a message of SockJS has more than " + MAX_TEXTS + " texts");
        }
        texts.add(Unpooled.wrappedBuffer(parser.getText().getBytes(StandardCharsets.UTF_8)));
        token = parser.nextToken();
      }
      if (token != (isArray ? JsonToken.END_ARRAY : null)) {
        throw notJson();
      }
      return texts;
    } catch (IOException e) {
      throw notJson();
    }
  }

  private static BadStomp notJson() {
    return new BadStomp("a message of SockJS is not an array of strings in JSON");
  }
}
