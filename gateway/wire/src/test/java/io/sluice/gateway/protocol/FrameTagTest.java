package io.sluice.gateway.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.websocket.Deflation;
import io.sluice.gateway.websocket.WebSocketFrame;
import io.sluice.testkit.Golden;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.Inflater;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class FrameTagTest {
  private static final UnpooledByteBufAllocator ALLOCATOR = UnpooledByteBufAllocator.DEFAULT;
  private static final Channel CHANNEL = new Channel(12, "stocks.7", null);
  private static final long MOST_REF = ClientFrame.MAX_TAGGED_REF;

  private final Deflation deflation = new Deflation(ALLOCATOR, 6);
  private final MessageEncoder encoder = new MessageEncoder(ALLOCATOR, deflation);

  @AfterEach
  void close() {
    deflation.close();
  }

  static Stream<JsonNode> golden() {
    return Golden.section("tagged");
  }

  @ParameterizedTest
  @MethodSource("golden")
  void shouldWriteGoldenFrames(JsonNode golden) {
    JsonNode plain =
        Golden.section("messages")
            .filter(message -> message.get("name").equals(golden.get("name")))
            .findFirst()
            .orElseThrow();
    byte[] json = plain.get("json").asText().getBytes(StandardCharsets.UTF_8);
    byte[] binary = ByteBufUtil.decodeHexDump(plain.get("binary").asText());
    long ref = golden.get("ref").asLong();

    byte[] taggedJson = payload(tagged(frame(WebSocketFrame.TEXT, json), false, ref));
    byte[] taggedBinary = payload(tagged(frame(WebSocketFrame.BINARY, binary), true, ref));
    assertThat(new String(taggedJson, StandardCharsets.UTF_8))
        .isEqualTo(golden.get("json").asText());
    assertThat(ByteBufUtil.hexDump(taggedBinary)).isEqualTo(golden.get("binary").asText());
  }

  private static ByteBuf frame(int opcode, byte[] payload) {
    ByteBuf frame = Unpooled.buffer();
    WebSocketFrame.writeHeader(frame, opcode, false, payload.length);
    return frame.writeBytes(payload);
  }

  /** Lengths at which the header of the base, or of the tagged frame alone, becomes longer. */
  @ParameterizedTest
  @ValueSource(ints = {0, 10, 20, 100, 120, 130, 65_400, 65_500, 65_530, 70_000})
  void shouldWriteTheSameCompressedAsPlain(int size) throws Exception {
    Random random = new Random(size);
    StringBuilder text = new StringBuilder(size);
    while (text.length() < size) {
      text.append((char) ('a' + random.nextInt(4)));
    }
    for (long ref : new long[] {0, 9, 10, 4_000_000_000L, MOST_REF}) {
      byte[] json = payload(encoded(text.toString(), Encoding.JSON, ref));
      byte[] binary = payload(encoded(text.toString(), Encoding.BINARY, ref));
      assertThat(content(encoded(text.toString(), Encoding.JSON_DEFLATED, ref))).isEqualTo(json);
      assertThat(content(encoded(text.toString(), Encoding.BINARY_DEFLATED, ref)))
          .isEqualTo(binary);
      assertThat(new String(json, StandardCharsets.UTF_8))
          .startsWith("{\"type\":\"message\",\"ref\":" + ref + ",\"topic\":\"stocks.7\"");
      assertThat(binary).hasSize(size + 24);
    }
  }

  @Test
  void shouldCompressOnlyLargeMessages() {
    ByteBuf small = encoded("x", Encoding.BINARY_DEFLATED, 1);
    ByteBuf large = encoded("x".repeat(2000), Encoding.BINARY_DEFLATED, 1);

    assertThat(small.getByte(0)).as("FIN, binary").isEqualTo((byte) 0x82);
    assertThat(large.getByte(0)).as("FIN, RSV1, binary").isEqualTo((byte) 0xc2);
    assertThat(large.readableBytes()).isLessThan(100);
  }

  private ByteBuf encoded(String text, Encoding encoding, long ref) {
    byte[] payload = text.getBytes(StandardCharsets.UTF_8);
    Message message = new Message("stocks.7", 1, 2, PayloadKind.TEXT, payload, null);
    ByteBuf base = encoder.encode(message, CHANNEL, 7, MessageForm.tagBase(encoding));
    ByteBuf frame = tagged(base, encoding.isBinary(), ref);
    base.release();
    return frame;
  }

  private static ByteBuf tagged(ByteBuf base, boolean binary, long ref) {
    int readable = base.readableBytes();
    ByteBuf frame = Unpooled.buffer();
    FrameTag.writeMessage(base, binary, ref, frame);
    assertThat(base.readableBytes()).as("the base is shared").isEqualTo(readable);
    assertThat(frame.readableBytes() - readable).isLessThanOrEqualTo(FrameTag.MAX_BYTES);
    return frame;
  }

  private static byte[] payload(ByteBuf frame) {
    int header = WebSocketFrame.headerBytesOf(frame);
    byte[] payload = ByteBufUtil.getBytes(frame, header, frame.readableBytes() - header);
    assertThat(WebSocketFrame.headerBytes(payload.length)).isEqualTo(header);
    return payload;
  }

  /** Inflates a frame like a client: RFC 7692, section 7.2.2. */
  private static byte[] content(ByteBuf frame) throws Exception {
    byte[] payload = payload(frame);
    if ((frame.getByte(0) & 0x40) == 0) {
      return payload;
    }
    byte[] whole = Arrays.copyOf(payload, payload.length + 4);
    whole[payload.length + 2] = (byte) 0xff;
    whole[payload.length + 3] = (byte) 0xff;
    Inflater inflater = new Inflater(true);
    inflater.setInput(whole);
    byte[] content = new byte[100_000];
    int size = inflater.inflate(content);
    assertThat(inflater.getRemaining()).isZero();
    inflater.end();
    return Arrays.copyOf(content, size);
  }
}
