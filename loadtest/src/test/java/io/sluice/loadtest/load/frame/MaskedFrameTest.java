package io.sluice.loadtest.load.frame;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameDecoder;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MaskedFrameTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 125, 126, 300, 65_535, 65_536})
  void shouldWriteMaskedFramesOfEveryLength(int length) {
    byte[] payload = new byte[length];
    Arrays.fill(payload, (byte) 'x');
    ByteBuf out = Unpooled.buffer();

    MaskedFrame.write(out, MaskedFrame.TEXT, payload);

    TextWebSocketFrame frame = decode(out);
    assertThat(frame.isFinalFragment()).isTrue();
    assertThat(ByteBufUtil.getBytes(frame.content())).isEqualTo(payload);
    frame.release();
  }

  private static TextWebSocketFrame decode(ByteBuf bytes) {
    WebSocketDecoderConfig config =
        WebSocketDecoderConfig.newBuilder()
            .expectMaskedFrames(true)
            .maxFramePayloadLength(1 << 20)
            .build();
    EmbeddedChannel server = new EmbeddedChannel(new WebSocket13FrameDecoder(config));
    assertThat(server.writeInbound(bytes)).isTrue();
    return server.readInbound();
  }
}
