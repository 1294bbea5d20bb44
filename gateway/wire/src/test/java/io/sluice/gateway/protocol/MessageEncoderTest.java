package io.sluice.gateway.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.websocket.Deflation;
import io.sluice.testkit.Golden;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.stream.Stream;
import java.util.zip.Inflater;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MessageEncoderTest {
  private static final UnpooledByteBufAllocator ALLOCATOR = UnpooledByteBufAllocator.DEFAULT;
  private static final Channel CHANNEL = new Channel(12, "stocks.7", null);

  private final Deflation deflation = new Deflation(ALLOCATOR, 6);
  private final MessageEncoder encoder = new MessageEncoder(ALLOCATOR, deflation);

  @AfterEach
  void close() {
    deflation.close();
  }

  static Stream<JsonNode> golden() {
    return Golden.section("messages");
  }

  @ParameterizedTest
  @MethodSource("golden")
  void shouldWriteGoldenFrames(JsonNode golden) {
    Channel channel =
        new Channel(
            golden.get("channel").asInt(),
            golden.get("topic").asText(),
            golden.has("pattern") ? golden.get("pattern").asText() : null);
    Message message = message(golden);
    long offset = golden.get("offset").asLong();

    assertThat(payloadText(encoder.encode(message, channel, offset, Encoding.JSON)))
        .isEqualTo(golden.get("json").asText());
    assertThat(payloadHex(encoder.encode(message, channel, offset, Encoding.BINARY)))
        .isEqualTo(golden.get("binary").asText());
  }

  private static Message message(JsonNode golden) {
    JsonNode properties = golden.get("properties");
    return new Message(
        golden.get("topic").asText(),
        HexFormat.fromHexDigitsToLong(golden.get("id").asText()),
        golden.get("time").asLong(),
        PayloadKind.valueOf(golden.get("kind").asText().toUpperCase(Locale.ROOT)),
        Golden.payload(golden),
        properties == null ? null : properties.toString().getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 105, 106, 65_515})
  void shouldAddAtMost24BytesToThePayload(int size) {
    ByteBuf frame = encoder.encode(text("x".repeat(size)), CHANNEL, 1, Encoding.BINARY);

    assertThat(frame.readableBytes() - size).isLessThanOrEqualTo(24);
    frame.release();
  }

  @Test
  void shouldAdd30BytesIfTheWebSocketHeaderHasTen() {
    ByteBuf frame = encoder.encode(text("x".repeat(65_516)), CHANNEL, 1, Encoding.BINARY);

    assertThat(frame.readableBytes() - 65_516).isEqualTo(30);
    frame.release();
  }

  @Test
  void shouldEscapeAllCharactersThatJsonEscapes() throws Exception {
    StringBuilder all = new StringBuilder("\u20ac \ud83d\ude00 / \u007f \u2028");
    for (char c = 0; c < 128; c++) {
      all.append(c);
    }
    String json = payloadText(encoder.encode(text(all.toString()), CHANNEL, 1, Encoding.JSON));

    assertThat(new ObjectMapper().readTree(json).get("payload").asText()).isEqualTo(all.toString());
  }

  @ParameterizedTest
  @ValueSource(ints = {511, 512, 513, 1023, 1024, 1025, 10_000})
  void shouldEscapeTextOfAnyLength(int length) throws Exception {
    String worst = "x\u0001\u20ac\"".repeat(length).substring(0, length);
    String json = payloadText(encoder.encode(text(worst), CHANNEL, 1, Encoding.JSON));

    assertThat(new ObjectMapper().readTree(json).get("payload").asText()).isEqualTo(worst);
  }

  @Test
  void shouldEscapeTheTopic() throws Exception {
    Channel quoted = new Channel(1, "a\"b", "*");
    String json = payloadText(encoder.encode(text("x"), quoted, 1, Encoding.JSON));

    assertThat(new ObjectMapper().readTree(json).get("topic").asText()).isEqualTo("a\"b");
  }

  @Test
  void shouldDeflateToTheSameContent() throws Exception {
    Message message = text("TS=1 SEQ=2 ".repeat(50));
    String plain = payloadText(encoder.encode(message, CHANNEL, 7, Encoding.JSON));

    ByteBuf frame = encoder.encode(message, CHANNEL, 7, Encoding.JSON_DEFLATED);
    assertThat(frame.getByte(0)).as("FIN, RSV1, text").isEqualTo((byte) 0xc1);
    byte[] deflated = payload(frame);

    assertThat(deflated).hasSizeLessThan(plain.length() / 3);
    assertThat(inflated(deflated, plain.length())).isEqualTo(plain);
  }

  @Test
  void shouldNotCompressSmallMessages() {
    ByteBuf frame = encoder.encode(text("x"), CHANNEL, 1, Encoding.BINARY_DEFLATED);

    assertThat(frame.getByte(frame.readerIndex()))
        .as("FIN, no RSV1, binary")
        .isEqualTo((byte) 0x82);
    frame.release();
  }

  private static String inflated(byte[] deflated, int length) throws Exception {
    Inflater inflater = new Inflater(true);
    inflater.setInput(deflated);
    byte[] content = new byte[length + 10];
    int size = inflater.inflate(content);
    inflater.end();
    return new String(content, 0, size, StandardCharsets.UTF_8);
  }

  private static Message text(String payload) {
    byte[] bytes = payload.getBytes(StandardCharsets.UTF_8);
    return new Message("stocks.7", 1, 2, PayloadKind.TEXT, bytes, null);
  }

  private static String payloadText(ByteBuf frame) {
    return new String(payload(frame), StandardCharsets.UTF_8);
  }

  private static String payloadHex(ByteBuf frame) {
    return HexFormat.of().formatHex(payload(frame));
  }

  private static byte[] payload(ByteBuf frame) {
    int length = frame.getByte(frame.readerIndex() + 1);
    frame.skipBytes(length < 126 ? 2 : length == 126 ? 4 : 10);
    byte[] payload = ByteBufUtil.getBytes(frame);
    frame.release();
    assertThat(frame.refCnt()).isZero();
    return payload;
  }
}
