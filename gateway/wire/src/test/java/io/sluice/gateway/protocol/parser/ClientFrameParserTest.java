package io.sluice.gateway.protocol.parser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.Site;
import io.sluice.gateway.protocol.Start;
import io.sluice.testkit.Golden;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ClientFrameParserTest {
  private final ClientFrameParser parser = new ClientFrameParser();

  @Test
  void shouldReadGoldenFrames() {
    assertThat(golden("connect"))
        .isEqualTo(new ClientFrame.Connect(-1, "s3cret", "sluice-js/0.1.0", false, false, false));
    assertThat(golden("connect that supports redirects"))
        .isEqualTo(new ClientFrame.Connect(-1, "s3cret", "sluice-js/0.1.0", true, false, false));
    assertThat(golden("connect after a redirect"))
        .isEqualTo(new ClientFrame.Connect(-1, "s3cret", "sluice-js/0.1.0", true, true, false));
    assertThat(parse(Golden.text("clientCompressed", "connect that accepts compressed frames")))
        .isEqualTo(new ClientFrame.Connect(-1, "s3cret", "sluice-js/0.1.0", true, false, true));
    assertThat(golden("subscribe"))
        .isEqualTo(
            new ClientFrame.Subscribe(
                1, InterestKey.of("stocks.7"), false, Start.NOW, Delivery.ALL));
    assertThat(golden("subscribe from a snapshot"))
        .isEqualTo(
            new ClientFrame.Subscribe(
                1,
                InterestKey.of("stocks.7"),
                false,
                Start.SNAPSHOT,
                new Delivery(true, 400_000_000)));
    assertThat(golden("subscribe from the last messages"))
        .isEqualTo(
            new ClientFrame.Subscribe(
                1, InterestKey.of("stocks.7"), false, new Start.Last(20), Delivery.ALL));
    Start.Position position =
        (Start.Position) ((ClientFrame.Subscribe) golden("subscribe from a position")).start();
    assertThat(position)
        .usingRecursiveComparison()
        .isEqualTo(
            new Start.Position(
                0x1f0a6c2b9d3e4f58L,
                57,
                new long[] {0x9e3779b97f4a7c15L, 0xff},
                1763699000000L,
                1763700000000L));
    Start.Position paris =
        (Start.Position)
            ((ClientFrame.Subscribe) golden("subscribe from a position of a named site")).start();
    assertThat(paris.epoch()).isEqualTo(position.epoch());
    assertThat(paris.site()).isEqualTo(Site.of("paris")).isNotEqualTo(Site.UNNAMED);
    Start.Position ordered =
        (Start.Position)
            ((ClientFrame.Subscribe) golden("subscribe from a position of a source with offsets"))
                .start();
    assertThat(ordered.ids())
        .isEqualTo(LongStream.range(0, 20).map(n -> n << 48 | n + 100).toArray());
    assertThat(golden("unsubscribe"))
        .isEqualTo(new ClientFrame.Unsubscribe(2, "stocks.7", ClientFrame.NO_REF));
    assertThat(parse(Golden.text("clientTagged", "subscribe with a tag")))
        .isEqualTo(
            new ClientFrame.Subscribe(
                4,
                InterestKey.of("stocks.7"),
                true,
                new Start.Last(20),
                new Delivery(true, 1_000_000_000)));
    assertThat(parse(Golden.text("clientTagged", "subscribe with a selector")))
        .isEqualTo(
            new ClientFrame.Subscribe(
                5,
                new InterestKey("stocks.*", "region = 'EU' AND price > 100"),
                true,
                Start.NOW,
                Delivery.ALL));
    assertThat(parse(Golden.text("clientTagged", "unsubscribe by ref")))
        .isEqualTo(new ClientFrame.Unsubscribe(9, null, 4));
    assertThat(golden("ping")).isEqualTo(new ClientFrame.Ping(4));
    assertThat(golden("refresh")).isEqualTo(new ClientFrame.Refresh(5, "s3cret2"));
    checkPublish(golden("publish"), PayloadKind.TEXT, "68656c6c6f", Map.of());
    checkPublish(golden("publish bytes"), PayloadKind.BYTES, "00ff10", Map.of());
    checkPublish(
        golden("publish with properties"), PayloadKind.TEXT, "68656c6c6f", Map.of("priority", 3L));
  }

  @Test
  void shouldReadGoldenRequests() {
    ClientFrame.Request plain = (ClientFrame.Request) parse(Golden.text("requests", "request"));
    assertThat(plain.ref()).isEqualTo(3);
    assertThat(plain.timeoutMs()).isEqualTo(ClientFrame.NO_TIMEOUT);
    assertThat(plain.message().destination()).isEqualTo(Destination.topic("quotes"));
    assertThat(plain.message().payload()).asString().isEqualTo("EURUSD");
    ClientFrame.Request full =
        (ClientFrame.Request) parse(Golden.text("requests", "request with members"));
    assertThat(full.timeoutMs()).isEqualTo(2_000);
    assertThat(full.message().destination()).isEqualTo(Destination.queue("quotes"));
    assertThat(full.message().kind()).isEqualTo(PayloadKind.JSON);
    assertThat(full.message().properties()).isEqualTo(Map.of("amount", 5));
    assertThat(full.message().headers().messageType()).isEqualTo("quote");
    ClientFrame.Respond respond =
        (ClientFrame.Respond) parse(Golden.text("requests", "respond with members"));
    assertThat(respond.ref()).isEqualTo(8);
    assertThat(respond.subscription()).isEqualTo(7);
    assertThat(respond.tag()).isEqualTo(12);
    assertThat(respond.reply().kind()).isEqualTo(PayloadKind.JSON);
    assertThat(respond.reply().headers().ttlMs()).isEqualTo(1_000);
  }

  private ClientFrame golden(String name) {
    return parse(Golden.text("client", name));
  }

  private static void checkPublish(
      ClientFrame frame, PayloadKind kind, String payload, Map<String, Object> properties) {
    ClientFrame.Publish publish = (ClientFrame.Publish) frame;
    assertThat(publish.ref()).isEqualTo(3);
    assertThat(publish.destination()).isEqualTo(Destination.topic("chat.1"));
    assertThat(publish.kind()).isEqualTo(kind);
    assertThat(HexFormat.of().formatHex(publish.payload())).isEqualTo(payload);
    assertThat(publish.properties()).isEqualTo(properties);
  }

  static Stream<JsonNode> goldenBinary() {
    return Golden.section("clientBinary");
  }

  @ParameterizedTest
  @MethodSource("goldenBinary")
  void shouldReadGoldenBinaryFrames(JsonNode golden) {
    ClientFrame.Publish publish = (ClientFrame.Publish) binary(golden.get("binary").asText());

    assertThat(publish.ref()).isEqualTo(golden.get("ref").asLong());
    assertThat(publish.destination()).isEqualTo(Destination.topic(golden.get("topic").asText()));
    assertThat(publish.kind().name()).isEqualToIgnoringCase(golden.get("kind").asText());
    assertThat(publish.payload()).isEqualTo(Golden.payload(golden));
  }

  @Test
  void shouldIgnoreUnknownMembers() {
    assertThat(parse("{\"x\":{\"y\":[1,{}]},\"type\":\"ping\",\"z\":null}"))
        .isEqualTo(new ClientFrame.Ping(-1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "|BAD_JSON",
        "hello|BAD_JSON",
        "[]|BAD_JSON",
        "\"type\"|BAD_JSON",
        "{\"type\":\"ping\"|BAD_JSON",
        "{\"type\":\"ping\"} {}|BAD_JSON",
        "{\"type\":\"ping\",\"type\":\"ping\"}|BAD_JSON",
        "{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}|BAD_JSON",
        "{}|BAD_FRAME",
        "{\"type\":7}|BAD_FRAME",
        "{\"type\":\"subscribe\",\"ref\":1}|BAD_FRAME",
        "{\"type\":\"subscribe\",\"topic\":7}|BAD_FRAME",
        "{\"type\":\"subscribe\",\"topic\":\"a\",\"tagged\":true}|BAD_FRAME",
        "{\"type\":\"subscribe\",\"topic\":\"a\",\"tagged\":true,\"ref\":4294967296}|BAD_FRAME",
        "{\"type\":\"subscribe\",\"topic\":\"a\",\"tagged\":1,\"ref\":1}|BAD_FRAME",
        "{\"type\":\"subscribe\",\"topic\":\"a\",\"ref\":1,\"where\":\"b = 1\"}|BAD_FRAME",
        "{\"type\":\"subscribe\",\"topic\":\"a\",\"ref\":1,\"where\":\""
            + " \",\"tagged\":true}|BAD_FRAME",
        "{\"type\":\"subscribe\",\"topic\":\"a\",\"ref\":1,\"where\":\"\\u0000\",\"tagged\":true}|BAD_FRAME",
        "{\"type\":\"subscribe\",\"topic\":\"a\",\"ref\":1,\"where\":1,\"tagged\":true}|BAD_FRAME",
        "{\"type\":\"unsubscribe\",\"ref\":1}|BAD_FRAME",
        "{\"type\":\"unsubscribe\",\"subscription\":\"4\"}|BAD_FRAME",
        "{\"type\":\"unsubscribe\",\"topic\":\"a\",\"subscription\":-1}|BAD_FRAME",
        "{\"type\":\"ping\",\"ref\":-1}|BAD_FRAME",
        "{\"type\":\"ping\",\"ref\":1.5}|BAD_FRAME",
        "{\"type\":\"ping\",\"ref\":\"1\"}|BAD_FRAME",
        "{\"type\":\"ping\",\"ref\":9007199254740992}|BAD_FRAME",
        "{\"type\":\"ping\",\"ref\":99999999999999999999}|BAD_FRAME",
        "{\"type\":\"publish\",\"topic\":\"a\"}|BAD_FRAME",
        "{\"type\":\"publish\",\"topic\":\"a\",\"payload\":{}}|BAD_FRAME",
        "{\"type\":\"publish\",\"topic\":\"a\",\"payload\":\"%\",\"encoding\":\"base64\"}|BAD_FRAME",
        "{\"type\":\"publish\",\"topic\":\"a\",\"payload\":\"\",\"encoding\":\"hex\"}|BAD_FRAME",
        "{\"type\":\"publish\",\"topic\":\"a\",\"payload\":\"\\ud800\"}|BAD_FRAME",
        "{\"type\":\"publish\",\"topic\":\"a\",\"payload\":\"\",\"properties\":1}|BAD_FRAME",
        "{\"type\":\"publish\",\"topic\":\"a\",\"payload\":\"\",\"properties\":{\"a"
            + " b\":1}}|BAD_FRAME",
        "{\"type\":\"publish\",\"topic\":\"a\",\"payload\":\"\",\"properties\":{\"JMSx\":1}}|BAD_FRAME",
        "{\"type\":\"publish\",\"topic\":\"a\",\"payload\":\"\",\"properties\":{\"_AMQ_x\":1}}|BAD_FRAME",
        "{\"type\":\"publish\",\"topic\":\"a\",\"payload\":\"\",\"properties\":{\"AMQ_x\":1}}|BAD_FRAME",
        "{\"type\":\"publish\",\"topic\":\"a\",\"payload\":\"\",\"properties\":{\"NULL\":1}}|BAD_FRAME",
        "{\"type\":\"publish\",\"topic\":\"a\",\"payload\":\"\",\"properties\":{\"AND\":1}}|BAD_FRAME",
        "{\"type\":\"publish\",\"topic\":\"a\",\"payload\":\"\",\"properties\":{\"ESCAPE\":1}}|BAD_FRAME",
        "{\"type\":\"publish\",\"topic\":\"a\",\"payload\":\"\",\"properties\":{\"a\":[]}}|BAD_FRAME",
        "{\"type\":\"publish\",\"topic\":\"a\",\"payload\":\"\",\"properties\":{\"a\":1e999}}|BAD_FRAME",
        "{\"type\":\"request\",\"topic\":\"a\",\"payload\":\"\"}|BAD_FRAME",
        "{\"type\":\"request\",\"ref\":1,\"payload\":\"\"}|BAD_FRAME",
        "{\"type\":\"request\",\"ref\":1,\"topic\":\"a\"}|BAD_FRAME",
        "{\"type\":\"request\",\"ref\":1,\"topic\":\"a\",\"payload\":\"\",\"timeout\":0}|BAD_FRAME",
        "{\"type\":\"request\",\"ref\":1,\"topic\":\"a\",\"payload\":\"\",\"timeout\":1.5}|BAD_FRAME",
        "{\"type\":\"request\",\"ref\":1,\"topic\":\"a\",\"payload\":\"\",\"timeout\":\"1\"}|BAD_FRAME",
        "{\"type\":\"request\",\"ref\":1,\"topic\":\"a\",\"payload\":\"\",\"timeout\":9007199254740992}|BAD_FRAME",
        "{\"type\":\"request\",\"ref\":1,\"topic\":\"a\",\"payload\":\"\",\"id\":\"b\"}|BAD_FRAME",
        "{\"type\":\"request\",\"ref\":1,\"topic\":\"a\",\"payload\":\"\",\"ttl\":1}|BAD_FRAME",
        "{\"type\":\"request\",\"ref\":1,\"topic\":\"a\",\"payload\":\"\",\"correlationId\":\"b\"}|BAD_FRAME",
        "{\"type\":\"request\",\"ref\":1,\"topic\":\"a\",\"payload\":\"\",\"replyTo\":{\"topic\":\"b\"}}|BAD_FRAME",
        "{\"type\":\"dance\",\"ref\":5}|UNKNOWN_TYPE",
        "{\"type\":\"a\\nb\"}|UNKNOWN_TYPE",
      })
  void shouldReportTheProblemOfAFrame(String frame, ErrorCode code) {
    ClientFrame.Malformed bad = (ClientFrame.Malformed) parse(frame == null ? "" : frame);

    assertThat(bad.code()).as(bad.message()).isEqualTo(code);
    assertThat(bad.message()).isNotBlank().doesNotContain("\n");
  }

  @Test
  void shouldReturnRefAndTopicOfAMalformedFrame() {
    assertThat(parse("{\"ref\":9,\"topic\":\"a.b\",\"type\":\"x\"}"))
        .isEqualTo(
            new ClientFrame.Malformed(
                9, ErrorCode.UNKNOWN_TYPE, "unknown type: \"x\"", Destination.topic("a.b")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"redirect", "redirected"})
  void shouldAcceptOnlyBooleansForFlags(String name) {
    String why = "\"" + name + "\" must be true or false";
    for (String bad : List.of("\"yes\"", "1", "null", "{\"a\":true}")) {
      assertThat(parse("{\"type\":\"connect\",\"" + name + "\":" + bad + "}"))
          .isEqualTo(new ClientFrame.Malformed(ClientFrame.NO_REF, ErrorCode.BAD_FRAME, why, null));
    }
  }

  @Test
  void shouldAcceptTheLargestRefOfATaggedSubscription() {
    assertThat(parse("{\"type\":\"subscribe\",\"topic\":\"a\",\"tagged\":true,\"ref\":4294967295}"))
        .isEqualTo(
            new ClientFrame.Subscribe(
                0xFFFF_FFFFL, InterestKey.of("a"), true, Start.NOW, Delivery.ALL));
    assertThat(parse("{\"type\":\"subscribe\",\"topic\":\"a\",\"tagged\":false}"))
        .isEqualTo(
            new ClientFrame.Subscribe(-1, InterestKey.of("a"), false, Start.NOW, Delivery.ALL));
  }

  @Test
  void shouldTruncateLongNamesInErrors() {
    String name = "x".repeat(10_000);
    ClientFrame bad = parse("{\"type\":\"publish\",\"properties\":{\"" + name + "\":null}}");

    assertThat(((ClientFrame.Malformed) bad).message())
        .endsWith("must be a string, number or boolean")
        .hasSizeLessThan(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "02",
        "020000000300",
        "0200000003000761",
        "03",
        "02000000030001ff",
        "0200000003000161ff"
      })
  void shouldRefuseMalformedBinaryFrames(String hex) {
    assertThat(binary(hex)).isInstanceOf(ClientFrame.Malformed.class);
  }

  @Test
  void shouldNotThrowOnRandomInput() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    String valid = Golden.text("client", "publish with properties");
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = valid.getBytes(StandardCharsets.UTF_8);
      for (int change = random.nextInt(4); change >= 0; change--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(128);
      }
      ByteBuf frame = Unpooled.wrappedBuffer(bytes);
      assertThat(parser.parseText(frame)).as("seed %d", seed).isNotNull();
      assertThat(parser.parseBinary(frame)).as("seed %d", seed).isNotNull();
    }
  }

  private ClientFrame parse(String text) {
    return parser.parseText(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
  }

  private ClientFrame binary(String hex) {
    return parser.parseBinary(Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex)));
  }
}
