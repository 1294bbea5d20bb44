package io.sluice.gateway.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.websocket.Deflation;
import io.sluice.gateway.websocket.WebSocketFrame;
import io.sluice.testkit.CompressedFrames;
import io.sluice.testkit.Golden;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CompressedFrameTest {
  private static final UnpooledByteBufAllocator ALLOCATOR = UnpooledByteBufAllocator.DEFAULT;
  private static final int BITS_OF_TYPE = 0xF0;

  private final List<ByteBuf> buffers = new ArrayList<>();
  private final Deflation deflation = new Deflation(ALLOCATOR, 6);
  private final MessageEncoder encoder = new MessageEncoder(ALLOCATOR, deflation);

  @AfterEach
  void close() {
    buffers.forEach(ByteBuf::release);
    deflation.close();
  }

  @Test
  void shouldHaveGoldenFramesWithTheirMessages() {
    CompressedFrames decoder = new CompressedFrames();
    for (JsonNode golden : Golden.section("compressed").toList()) {
      byte[] frame = ByteBufUtil.decodeHexDump(golden.get("frame").asText());
      CompressedFrames.Content content = decoder.decode(frame);
      assertThat(text(content.payload(), content.text()))
          .as(golden.get("name").asText())
          .isEqualTo((golden.has("text") ? golden.get("text") : golden.get("binary")).asText());
    }
  }

  /** The compressor's bytes depend on its version; the first byte and the number do not. */
  @Test
  void shouldWriteTheHeadersOfGoldenFrames() {
    for (JsonNode golden : Golden.section("compressed").toList()) {
      boolean text = golden.has("text");
      boolean next = golden.get("kind").asText().equals("next");
      boolean deflated = !golden.get("kind").asText().equals("plain");
      ByteBuf base = frame(text, deflated, new byte[] {1, 2, 3});
      int stream = golden.path("stream").asInt(300);
      ByteBuf written = owned(CompressedFrame.of(base, !text, next, stream, ALLOCATOR));
      if (golden.has("ref")) {
        ByteBuf tagged = Unpooled.buffer();
        CompressedFrame.writeTagged(written, golden.get("ref").asLong(), tagged);
        written = tagged;
      }
      String head = ByteBufUtil.hexDump(payload(written));
      assertThat(golden.get("frame").asText())
          .as(golden.get("name").asText())
          .startsWith(head.substring(0, head.length() - 6));
      assertThat(CompressedFrame.is(written)).isTrue();
      assertThat(CompressedFrame.isDeflated(written)).isEqualTo(deflated);
    }
  }

  /** Lengths at which the header of the frame or the compression changes. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 60, 90, 100, 130, 500, 65_500, 65_530, 70_000})
  void shouldContainTheMessagesOfOtherClients(int size) {
    for (boolean binary : List.of(false, true)) {
      for (long ref : new long[] {-1, 0, 127, 128, 16_384, ClientFrame.MAX_TAGGED_REF}) {
        shouldContainTheMessages(size, binary, ref);
      }
    }
  }

  private void shouldContainTheMessages(int size, boolean binary, long ref) {
    Channel channel =
        new Channel(
            12, "stocks.7", null, false, CompressedFrame.MAX_STREAM, new LogEpoch(0, Site.UNNAMED));
    CompressedFrames decoder = new CompressedFrames();
    Encoding plain = Encoding.of(binary, false);
    Encoding deflated = Encoding.of(binary, true);
    Message previous = null;
    for (int offset = 1; offset <= 4; offset++) {
      Message message = message(size, offset);
      ByteBuf content =
          previous == null
              ? owned(encoder.encode(message, channel, offset, deflated))
              : owned(encoder.encodeNext(previous, channel, message, channel, offset, binary));
      MessageForm form = MessageForm.framed(binary, previous != null);
      ByteBuf framed = owned(encoder.encodeFramed(content, form, channel.stream()));
      ByteBuf expected = owned(encoder.encode(message, channel, offset, plain));
      if (ref >= 0) {
        framed = tagged(framed, ref);
        expected = otherTagged(expected, binary, ref);
      }
      CompressedFrames.Content decoded = decoder.decode(payload(framed));
      assertThat(decoded.text()).isEqualTo(!binary);
      assertThat(decoded.payload()).isEqualTo(payload(expected));
      previous = message;
    }
    assertThat(decoder.received(CompressedFrames.NEXT)).isEqualTo(3);
  }

  @Test
  void shouldDistinguishOtherFrames() {
    for (boolean deflated : List.of(false, true)) {
      assertThat(CompressedFrame.is(frame(true, deflated, new byte[] {3}))).isFalse();
      assertThat(CompressedFrame.is(frame(false, deflated, new byte[] {1}))).isFalse();
    }
    assertThat(CompressedFrame.is(frame(false, true, new byte[] {3}))).isFalse();
    assertThat(CompressedFrame.is(frame(false, false, new byte[] {(byte) (BITS_OF_TYPE | 3)})))
        .isTrue();
  }

  private ByteBuf owned(ByteBuf buffer) {
    buffers.add(buffer);
    return buffer;
  }

  private static Message message(int size, int offset) {
    byte[] payload = ("x".repeat(size) + offset).getBytes(StandardCharsets.UTF_8);
    return new Message("stocks.7", offset, 1_763_700_000_000L, PayloadKind.TEXT, payload, null);
  }

  private static ByteBuf tagged(ByteBuf framed, long ref) {
    ByteBuf tagged = Unpooled.buffer();
    CompressedFrame.writeTagged(framed, ref, tagged);
    assertThat(tagged.readableBytes())
        .isLessThanOrEqualTo(framed.readableBytes() + CompressedFrame.MAX_TAG_BYTES);
    return tagged;
  }

  private static ByteBuf otherTagged(ByteBuf plain, boolean binary, long ref) {
    ByteBuf tagged = Unpooled.buffer();
    FrameTag.writeMessage(plain, binary, ref, tagged);
    return tagged;
  }

  private static ByteBuf frame(boolean text, boolean deflated, byte[] payload) {
    ByteBuf frame = Unpooled.buffer();
    int opcode = text ? WebSocketFrame.TEXT : WebSocketFrame.BINARY;
    WebSocketFrame.writeHeader(frame, opcode, deflated, payload.length);
    return frame.writeBytes(payload);
  }

  private static byte[] payload(ByteBuf frame) {
    int head = WebSocketFrame.headerBytesOf(frame);
    return ByteBufUtil.getBytes(frame, frame.readerIndex() + head, frame.readableBytes() - head);
  }

  private static String text(byte[] payload, boolean text) {
    return text ? new String(payload, StandardCharsets.UTF_8) : ByteBufUtil.hexDump(payload);
  }
}
