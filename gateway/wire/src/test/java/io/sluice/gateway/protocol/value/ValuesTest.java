package io.sluice.gateway.protocol.value;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.ServerFrames;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.parser.ClientFrameParser;
import io.sluice.gateway.protocol.publish.StructuredBody;
import io.sluice.testkit.Docs;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Values of docs/protocol/values.json, which the tests of the JavaScript SDK read too. */
final class ValuesTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int RANDOM_CASES = 20_000;

  private final long seed = Long.getLong("sluice.seed", System.nanoTime());
  private final Random random = new Random(seed);

  private static Stream<JsonNode> section(String name) {
    try {
      return StreamSupport.stream(
          JSON.readTree(Docs.file("protocol", "values.json").toFile()).get(name).spliterator(),
          false);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Stream<JsonNode> strings() {
    return section("strings");
  }

  static Stream<JsonNode> topics() {
    return section("topics");
  }

  static Stream<JsonNode> received() {
    return section("received");
  }

  static Stream<JsonNode> publishedProperties() {
    return section("publishedProperties");
  }

  static Stream<JsonNode> publishedElements() {
    return section("publishedElements");
  }

  static Stream<JsonNode> times() {
    return section("times");
  }

  static Stream<JsonNode> expiries() {
    return section("expiries");
  }

  private static String text(String units) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < units.length(); i += 4) {
      text.append((char) HexFormat.fromHexDigits(units, i, i + 4));
    }
    return text.toString();
  }

  private static String json(Object value) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator out = JsonText.generator(bytes)) {
      JsonValue.write(value, out);
    }
    return bytes.toString(UTF_8);
  }

  private static byte[] escaped(String text) {
    byte[] utf8 = JsonText.wellFormed(text).getBytes(UTF_8);
    byte[] escaped = new byte[JsonText.MAX_ESCAPED * utf8.length];
    int size = JsonText.escape(utf8, 0, utf8.length, escaped);
    return ('"' + new String(escaped, 0, size, UTF_8) + '"').getBytes(UTF_8);
  }

  @ParameterizedTest
  @MethodSource("strings")
  void shouldWriteAString(JsonNode golden) throws IOException {
    String text = text(golden.get("units").asText());
    String wire = golden.get("json").asText();

    assertThat(JsonText.quoted(text)).isEqualTo(wire);
    assertThat(json(text)).isEqualTo(wire);
    assertThat(new String(escaped(text), UTF_8)).isEqualTo(wire);
    assertThat(JSON.readTree(wire).asText()).isEqualTo(text(golden.get("client").asText()));
  }

  @ParameterizedTest
  @MethodSource("strings")
  void shouldWriteAnErrorThatQuotesAString(JsonNode golden) throws IOException {
    String text = text(golden.get("units").asText());
    ByteBuf frame =
        new ServerFrames(UnpooledByteBufAllocator.DEFAULT)
            .error(1, ErrorCode.INVALID_TOPIC, text, null);
    try {
      frame.skipBytes(frame.bytesBefore((byte) 0x7b));
      assertThat(JSON.readTree(frame.toString(UTF_8)).get("message").asText())
          .isEqualTo(text(golden.get("client").asText()));
    } finally {
      frame.release();
    }
  }

  @Test
  void shouldWriteRandomStrings() throws IOException {
    for (int i = 0; i < RANDOM_CASES; i++) {
      String text = randomText();
      String read = JsonText.wellFormed(text);
      assertThat(UTF_8.newEncoder().canEncode(read)).as("seed %d", seed).isTrue();
      assertThat(JSON.readTree(JsonText.quoted(text)).asText()).as("seed %d", seed).isEqualTo(read);
      assertThat(JSON.readTree(escaped(text)).asText()).as("seed %d", seed).isEqualTo(read);
    }
  }

  private String randomText() {
    StringBuilder text = new StringBuilder();
    for (int length = random.nextInt(24); length > 0; length--) {
      text.append(
          (char)
              switch (random.nextInt(5)) {
                case 0 -> random.nextInt(0x20);
                case 1 -> "\"\\/u0btn.".charAt(random.nextInt(9));
                case 2 -> Character.MIN_SURROGATE + random.nextInt(0x800);
                case 3 -> random.nextInt(0x10000);
                default -> ' ' + random.nextInt(0x60);
              });
    }
    return text.toString();
  }

  @ParameterizedTest
  @MethodSource("topics")
  void shouldJudgeATopic(JsonNode golden) {
    String topic = text(golden.get("units").asText());
    assertThat(new TopicRules(255, 16).checkTopic(topic) == null)
        .as(topic)
        .isEqualTo(golden.get("valid").asBoolean());
  }

  private static Object value(String type, String value) {
    return switch (type) {
      case "boolean" -> Boolean.valueOf(value);
      case "byte" -> Byte.valueOf(value);
      case "short" -> Short.valueOf(value);
      case "int" -> Integer.valueOf(value);
      case "long" -> Long.valueOf(value);
      case "float" -> Float.valueOf(value);
      case "double" -> Double.valueOf(value);
      case "char" -> value.charAt(0);
      case "bytes" -> HexFormat.of().parseHex(value);
      case "null" -> null;
      default -> value;
    };
  }

  @ParameterizedTest
  @MethodSource("received")
  void shouldWriteAValue(JsonNode golden) throws IOException {
    Object value = value(golden.get("type").asText(), golden.get("value").asText());
    assertThat(json(value)).isEqualTo(golden.get("json").asText());
  }

  @Test
  void shouldWriteRandomNumbersWithoutRounding() throws IOException {
    for (int i = 0; i < RANDOM_CASES; i++) {
      long number = random.nextLong() >> random.nextInt(64);
      JsonNode read = JSON.readTree(json(number));
      boolean exact = Math.abs(number) <= JsonValue.MAX_EXACT && number != Long.MIN_VALUE;
      assertThat(read.isTextual()).as("%d, seed %d", number, seed).isEqualTo(!exact);
      assertThat(Long.parseLong(read.asText())).as("seed %d", seed).isEqualTo(number);
      Double decimal = Double.longBitsToDouble(random.nextLong());
      assertThat(Double.parseDouble(JSON.readTree(json(decimal)).asText()))
          .as("seed %d", seed)
          .isEqualTo(decimal);
    }
  }

  private static ClientFrame parse(String members) {
    String frame = "{\"type\":\"publish\",\"topic\":\"a\"," + members + "}";
    return new ClientFrameParser().parseText(Unpooled.copiedBuffer(frame, UTF_8));
  }

  private static void check(JsonNode golden, ClientFrame frame, Object read) {
    if (golden.has("jms")) {
      assertThat(frame).isInstanceOf(ClientFrame.Publish.class);
      assertThat(read).isEqualTo(value(golden.get("jms").asText(), golden.get("value").asText()));
    } else {
      assertThat(((ClientFrame.Malformed) frame).code()).isEqualTo(ErrorCode.BAD_FRAME);
    }
  }

  @ParameterizedTest
  @MethodSource("publishedProperties")
  void shouldReadAProperty(JsonNode golden) {
    String types =
        golden.has("type") ? ",\"types\":{\"p\":\"" + golden.get("type").asText() + "\"}" : "";
    ClientFrame frame =
        parse(
            "\"payload\":\"\",\"properties\":{\"p\":"
                + golden.get("property").asText()
                + "}"
                + types);
    Object read = frame instanceof ClientFrame.Publish publish ? publish.properties().get("p") : 0;
    check(golden, frame, read);
  }

  @ParameterizedTest
  @MethodSource("publishedElements")
  void shouldReadAnElement(JsonNode golden) {
    ClientFrame frame =
        parse("\"encoding\":\"json\",\"payload\":[" + golden.get("element").asText() + "]");
    if (golden.has("jms") || !(frame instanceof ClientFrame.Publish publish)) {
      check(golden, frame, golden.has("jms") ? element(frame) : 0);
    } else {
      assertThat(StructuredBody.problem(publish.payload())).startsWith("\"payload\": element 0 ");
    }
  }

  private static Object element(ClientFrame frame) {
    return StructuredBody.of(((ClientFrame.Publish) frame).payload()).list().get(0);
  }

  @ParameterizedTest
  @MethodSource("times")
  void shouldBoundATime(JsonNode golden) {
    assertThat(MessageTime.of(Long.parseLong(golden.get("ms").asText())))
        .isEqualTo(golden.get("time").asLong());
  }

  @Test
  void shouldBoundTheTimeOfABinaryFrame() {
    long nowMs = System.currentTimeMillis();
    for (long timeMs : new long[] {0, nowMs, MessageTime.MAX_MS}) {
      long binary = MessageTime.binary(timeMs);
      assertThat(binary - nowMs).isBetween(-(1L << 31), 1L << 31);
      assertThat(MessageTime.isBinary(timeMs)).isEqualTo(timeMs == nowMs);
    }
  }

  @ParameterizedTest
  @MethodSource("expiries")
  void shouldOmitAnExpiryOutOfRange(JsonNode golden) throws IOException {
    ByteBuf frame =
        new ServerFrames(UnpooledByteBufAllocator.DEFAULT)
            .refreshed(1, Long.parseLong(golden.get("ms").asText()));
    try {
      frame.skipBytes(frame.bytesBefore((byte) 0x7b));
      assertThat(JSON.readTree(frame.toString(UTF_8)).get("expires"))
          .isEqualTo(golden.get("expires"));
    } finally {
      frame.release();
    }
  }
}
