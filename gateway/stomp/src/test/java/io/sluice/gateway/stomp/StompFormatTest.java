package io.sluice.gateway.stomp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.MessageFormat;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.stomp.SubscriptionIds.Use;
import io.sluice.gateway.websocket.WebSocketFrame;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StompFormatTest {
  private static final Channel CHANNEL = new Channel(1, "stocks.7:a", null);

  private final SubscriptionIds ids = new SubscriptionIds();
  private final long ref = ids.acquire("s\"1", Use.TOPIC).ref();

  private static Message message(PayloadKind kind, byte[] payload, String properties) {
    byte[] json = properties == null ? null : properties.replace('\'', '"').getBytes(UTF_8);
    return new Message("stocks.7:a", 0x9e, 1_763_700_000_000L, kind, payload, json);
  }

  /** Returns a message of the subscription; checks its size. */
  private ByteBuf tagged(MessageFormat format, Message message) {
    ByteBuf encoded = format.encode(message, CHANNEL, 5, UnpooledByteBufAllocator.DEFAULT);
    int most = encoded.readableBytes() + format.tagBytes(ref);
    ByteBuf tagged = Unpooled.buffer(most, most);
    format.writeTagged(encoded, ref, tagged);
    encoded.release();
    assertThat(WebSocketFrame.headerBytesOf(tagged) + WebSocketFrame.payloadBytesOf(tagged))
        .isEqualTo(tagged.readableBytes());
    return tagged;
  }

  private static String content(ByteBuf frame) {
    return frame
        .skipBytes(WebSocketFrame.headerBytesOf(frame))
        .readCharSequence(frame.readableBytes(), UTF_8)
        .toString();
  }

  private static String position() {
    return "0000000000000000-0000000000000005-000000000000009e-0000019aa4b64500";
  }

  @Test
  void shouldWriteAMessage() {
    Message message =
        message(
            PayloadKind.TEXT,
            "€\0".getBytes(UTF_8),
            "{'a_HYPHEN_b':'x:y\\n','n':1.5,'gap':'forged','none':null,'f':true}");

    String text = content(tagged(new StompFormat(StompVersion.V1_1, ids), message));

    assertThat(text)
        .isEqualTo(
            "MESSAGE\nsubscription:s\"1\ndestination:/topic/stocks.7\\ca\n"
                + "message-id:000000000000009e\ntimestamp:1763700000000\nposition:"
                + position()
                + "\na-b:x\\cy\\n\nn:1.5\nf:true\ncontent-length:4\n\n€\0\0");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 125, 126, 65_300, 65_400, 65_535, 65_536, 70_000})
  void shouldWriteMessagesOfAnySize(int size) {
    byte[] payload = "x".repeat(size).getBytes(UTF_8);
    for (MessageFormat format :
        new MessageFormat[] {
          new StompFormat(StompVersion.V1_0, ids), new SockJsFormat(StompVersion.V1_1, ids)
        }) {
      String text = content(tagged(format, message(PayloadKind.TEXT, payload, null)));
      assertThat(text).contains("x".repeat(size)).contains("content-length:" + size);
    }
  }

  @Test
  void shouldUseBinaryFramesForOtherBytesThanText() {
    StompFormat format = new StompFormat(StompVersion.V1_1, ids);
    ByteBuf text = tagged(format, message(PayloadKind.BYTES, "a".getBytes(UTF_8), null));
    ByteBuf bytes = tagged(format, message(PayloadKind.BYTES, new byte[] {-1}, null));
    assertThat(WebSocketFrame.isBinary(text)).isFalse();
    assertThat(WebSocketFrame.isBinary(bytes)).isTrue();
  }

  @Test
  void shouldWriteAMessageOfSockJs() {
    SockJsFormat format = new SockJsFormat(StompVersion.V1_1, ids);
    String text = content(tagged(format, message(PayloadKind.BYTES, new byte[] {-1}, null)));
    assertThat(text)
        .startsWith("a[\"MESSAGE\\nsubscription:s\\\"1\\ndestination:/topic/stocks.7\\\\ca\\n")
        .contains("content-encoding:base64\\n")
        .endsWith("\\n\\n/w==\\u0000\"]");
  }
}
