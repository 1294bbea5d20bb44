package io.sluice.gateway.websocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WebSocketFrameTest {
  private final ByteBuf out = Unpooled.buffer();

  @ParameterizedTest
  @CsvSource({
    "0, 8100",
    "125, 817d",
    "126, 817e007e",
    "65535, 817effff",
    "65536, 817f0000000000010000",
    "2147483647, 817f000000007fffffff",
  })
  void shouldWriteTheShortestLength(int payloadBytes, String header) {
    WebSocketFrame.writeHeader(out, WebSocketFrame.TEXT, false, payloadBytes);
    assertThat(ByteBufUtil.hexDump(out)).isEqualTo(header);
    assertThat(out.readableBytes()).isEqualTo(WebSocketFrame.headerBytes(payloadBytes));
  }

  @Test
  void shouldMarkDeflatedMessages() {
    WebSocketFrame.writeHeader(out, WebSocketFrame.BINARY, true, 1);
    assertThat(ByteBufUtil.hexDump(out)).isEqualTo("c201");
  }

  @Test
  void shouldWritePings() {
    ByteBuf payload = Unpooled.copiedBuffer("hi", StandardCharsets.UTF_8);
    WebSocketFrame.writeControl(out, WebSocketFrame.PING, payload);
    assertThat(ByteBufUtil.hexDump(out)).isEqualTo("89026869");
    assertThat(payload.readableBytes()).isEqualTo(2);
    ByteBuf tooLong = Unpooled.wrappedBuffer(new byte[126]);
    assertThatThrownBy(() -> WebSocketFrame.writeControl(out, WebSocketFrame.PONG, tooLong))
        .hasMessageContaining("126");
  }

  @Test
  void shouldWriteCloseFrames() {
    WebSocketFrame.writeClose(out);
    WebSocketFrame.writeClose(out, 1000, "bye");
    assertThat(ByteBufUtil.hexDump(out)).isEqualTo("8800" + "880503e8627965");
  }

  @ParameterizedTest
  @CsvSource({
    "x, 123, 123",
    "x, 124, 123",
    "ä, 62, 122",
    "水, 41, 123",
    "水, 42, 123",
    "🚀, 31, 120"
  })
  void shouldTruncateReasonsBetweenCharacters(String character, int count, int bytes) {
    WebSocketFrame.writeClose(out, 1000, character.repeat(count));
    assertThat(out.readableBytes()).isEqualTo(4 + bytes);
    assertThat(out.toString(4, bytes, StandardCharsets.UTF_8))
        .isEqualTo(character.repeat(bytes / character.getBytes(StandardCharsets.UTF_8).length));
  }
}
