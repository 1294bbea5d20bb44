package io.sluice.gateway.streams.events;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.value.JsonText;
import io.sluice.gateway.streams.route.EventText;
import java.util.Base64;
import java.util.HexFormat;

/** Form of the data of a message's event. Immutable, for any thread. */
enum EventData {
  /**
   * The payload. A payload of bytes is base64 in an event of the type {@code base64}; a removal is
   * an event of the type {@code removed} without data.
   */
  PAYLOAD {
    @Override
    void write(Message message, Channel channel, long offset, ByteBuf out) {
      switch (message.kind()) {
        case TEXT, JSON -> EventText.data(message.payload(), out);
        case BYTES -> {
          EventText.type("base64", out);
          EventText.data(Base64.getEncoder().encode(message.payload()), out);
        }
        case REMOVAL -> {
          EventText.type("removed", out);
          EventText.data(NOTHING, out);
        }
      }
    }
  },

  /** The message as JSON: docs/PROTOCOL.md, section 4. */
  MESSAGE {
    @Override
    void write(Message message, Channel channel, long offset, ByteBuf out) {
      out.writeBytes(MESSAGE_HEAD);
      text(JsonText.quoted(channel.topic()), out);
      if (channel.pattern() != null) {
        text(",\"pattern\":" + JsonText.quoted(channel.pattern()), out);
      }
      String id = HexFormat.of().toHexDigits(message.identity());
      text(",\"offset\":" + offset + ",\"id\":\"" + id + "\"", out);
      text(",\"time\":" + message.timeMs(), out);
      if (message.properties() != null) {
        text(",\"properties\":", out);
        writeJson(message.properties(), out);
      }
      writePayload(message.kind(), message.payload(), out);
      out.writeByte('}').writeByte('\n');
    }
  };

  private static final byte[] NOTHING = {};
  private static final byte[] MESSAGE_HEAD =
      EventText.ascii("data: {\"type\":\"message\",\"topic\":");

  /** Bytes of text that are escaped at once. */
  private static final int CHUNK = 512;

  /** Returns the format of events with this data. */
  EventFormat format() {
    return this == PAYLOAD ? EventFormat.PAYLOAD : EventFormat.MESSAGE;
  }

  /** Writes the fields of a message, except its id and the end of the event. */
  abstract void write(Message message, Channel channel, long offset, ByteBuf out);

  private static void text(String text, ByteBuf out) {
    out.writeCharSequence(text, UTF_8);
  }

  private static void writePayload(PayloadKind kind, byte[] payload, ByteBuf out) {
    switch (kind) {
      case TEXT -> {
        text(",\"payload\":\"", out);
        writeEscaped(payload, out);
        out.writeByte('"');
      }
      case BYTES -> {
        text(",\"encoding\":\"base64\",\"payload\":\"", out);
        out.writeBytes(Base64.getEncoder().encode(payload)).writeByte('"');
      }
      case JSON -> {
        text(",\"encoding\":\"json\",\"payload\":", out);
        writeJson(payload, out);
      }
      case REMOVAL -> out.writeCharSequence(",\"removed\":true,\"payload\":\"\"", US_ASCII);
    }
  }

  /** Writes JSON on one line: a line end in it is white space. */
  private static void writeJson(byte[] utf8, ByteBuf out) {
    int start = out.writerIndex();
    out.writeBytes(utf8);
    for (int i = 0; i < utf8.length; i++) {
      if (utf8[i] == '\n' || utf8[i] == '\r') {
        out.setByte(start + i, ' ');
      }
    }
  }

  private static void writeEscaped(byte[] utf8, ByteBuf out) {
    byte[] escaped = new byte[JsonText.MAX_ESCAPED * Math.min(CHUNK, utf8.length)];
    for (int from = 0; from < utf8.length; from += CHUNK) {
      int to = Math.min(utf8.length, from + CHUNK);
      out.writeBytes(escaped, 0, JsonText.escape(utf8, from, to, escaped));
    }
  }
}
