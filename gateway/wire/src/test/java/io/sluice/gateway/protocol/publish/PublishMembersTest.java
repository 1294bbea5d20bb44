package io.sluice.gateway.protocol.publish;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import io.sluice.gateway.protocol.PublishHeaders.Mode;
import io.sluice.gateway.protocol.parser.ClientFrameParser;
import io.sluice.testkit.Golden;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PublishMembersTest {
  private static final PublishHeaders FULL =
      new PublishHeaders(
          9,
          60_000,
          5_000,
          Mode.NON_PERSISTENT,
          "order",
          "o-17",
          "ann",
          Destination.queue("inbox.ann"),
          "7f9c");

  private final ClientFrameParser parser = new ClientFrameParser();

  private static JsonNode golden(String section, String name) {
    return Golden.section(section)
        .filter(each -> each.get("name").asText().equals(name))
        .findAny()
        .orElseThrow();
  }

  private ClientFrame parse(String json) {
    return parser.parseText(Unpooled.copiedBuffer(json, StandardCharsets.UTF_8));
  }

  private ClientFrame.Publish text(String name) {
    return (ClientFrame.Publish) parse(golden("publishes", name).get("text").asText());
  }

  private ClientFrame.Publish binary(String name) {
    String hex = golden("publishesBinary", name).get("binary").asText();
    return (ClientFrame.Publish) parseBinary(hex);
  }

  private ClientFrame parseBinary(String hex) {
    return parser.parseBinary(Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex)));
  }

  private static String withMembers(int first, String topic, String members, String payload) {
    byte[] name = topic.getBytes(StandardCharsets.UTF_8);
    byte[] json = members.getBytes(StandardCharsets.UTF_8);
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits((byte) first)
        + "00000003"
        + hex.toHexDigits((short) name.length)
        + hex.formatHex(name)
        + hex.toHexDigits((short) json.length)
        + hex.formatHex(json)
        + payload;
  }

  @Test
  void shouldReadDestinationsAndHeaders() {
    assertThat(text("publish to a queue").destination()).isEqualTo(Destination.queue("orders"));
    assertThat(text("publish to a queue").headers()).isSameAs(PublishHeaders.DEFAULT);
    assertThat(text("publish with headers").headers()).isEqualTo(FULL);
    assertThat(text("publish with a topic for replies").headers().replyTo())
        .isEqualTo(Destination.topic("chat.2"));
  }

  @Test
  void shouldConvertProperties() {
    assertThat(text("publish with typed properties").properties())
        .isEqualTo(
            Map.of("a", (byte) 1, "b", (short) 2, "c", 3, "d", 4L, "e", 5f, "f", 6.5, "g", 7L));
  }

  @Test
  void shouldReadStructuredBodies() {
    ClientFrame.Publish map = text("publish a map");
    assertThat(map.kind()).isEqualTo(PayloadKind.JSON);
    Map<String, Object> expected = new HashMap<>();
    expected.put("text", "a");
    expected.put("int", 7);
    expected.put("long", 3_000_000_000L);
    expected.put("double", 1.5);
    expected.put("flag", true);
    expected.put("none", null);
    expected.put("bytes", new byte[] {0, -1, 16});
    assertThat(StructuredBody.of(map.payload()).map())
        .usingRecursiveComparison()
        .isEqualTo(expected);
    assertThat(StructuredBody.of(text("publish a stream").payload()).list())
        .usingRecursiveFieldByFieldElementComparator()
        .containsExactly("a", 7, 3_000_000_000L, 1.5, false, null, new byte[] {0, -1, 16});
  }

  @Test
  void shouldReadBinaryFramesWithMembers() {
    ClientFrame.Publish toTopic = binary("publish text with members");
    assertThat(toTopic.ref()).isEqualTo(3);
    assertThat(toTopic.destination()).isEqualTo(Destination.topic("chat.1"));
    assertThat(toTopic.kind()).isEqualTo(PayloadKind.TEXT);
    assertThat(toTopic.payload()).asString().isEqualTo("hello");
    assertThat(toTopic.headers().priority()).isEqualTo(9);
    ClientFrame.Publish toQueue = binary("publish bytes to a queue");
    assertThat(toQueue.destination()).isEqualTo(Destination.queue("orders"));
    assertThat(toQueue.kind()).isEqualTo(PayloadKind.BYTES);
    assertThat(toQueue.payload()).containsExactly(0, 255, 16);
    assertThat(toQueue.properties()).isEqualTo(Map.of("a", 1));
    assertThat(toQueue.headers().id()).isEqualTo("7f9c");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "'payload':'x'|\"topic\" or \"queue\" is missing",
        "'topic':'a','queue':'b','payload':'x'|\"topic\" and \"queue\" exclude each other",
        "'queue':7,'payload':'x'|\"queue\" must be a string",
        "'queue':'a'|\"payload\" is missing",
        "'queue':'a','payload':7|\"payload\" must be a string",
        "'queue':'a','payload':{}|\"payload\" must be a string",
        "'queue':'a','payload':[],'encoding':'base64'|\"payload\" must be a string",
        "'queue':'a','payload':'x','encoding':'json'|\"payload\" must be an object or an array",
        "'queue':'a','payload':'x','encoding':'hex'|\"encoding\" must be \"base64\" or \"json\","
            + " not \"hex\"",
        "'queue':'a','payload':{'':1},'encoding':'json'|\"payload\" has an empty name",
        "'queue':'a','payload':{'b':[]},'encoding':'json'|\"payload\": \"b\" is an array",
        "'queue':'a','payload':[1,[2]],'encoding':'json'|\"payload\": element 1 is an array",
        "'queue':'a','payload':[{}],'encoding':'json'|\"payload\": element 0 is an object other"
            + " than {\"base64\":\"…\"}, {\"long\":\"…\"} and {\"double\":\"…\"}",
        "'queue':'a','payload':[{'base64':7}],'encoding':'json'|\"payload\": element 0 is an object"
            + " other than {\"base64\":\"…\"}, {\"long\":\"…\"} and {\"double\":\"…\"}",
        "'queue':'a','payload':[{'base64':'','b':1}],'encoding':'json'|\"payload\": element 0 is an"
            + " object other than {\"base64\":\"…\"}, {\"long\":\"…\"} and {\"double\":\"…\"}",
        "'queue':'a','payload':[9223372036854775808],'encoding':'json'|\"payload\": element 0"
            + " exceeds 64 bits",
        "'queue':'a','payload':'x','priority':-1|\"priority\" must be a whole number from 0 to 9",
        "'queue':'a','payload':'x','priority':10|\"priority\" must be a whole number from 0 to 9",
        "'queue':'a','payload':'x','priority':1.5|\"priority\" must be a whole number from 0 to 9",
        "'queue':'a','payload':'x','ttl':0|\"ttl\" must be a whole number from 1 to 2^53-1",
        "'queue':'a','payload':'x','ttl':9007199254740992|\"ttl\" must be a whole number from 1 to"
            + " 2^53-1",
        "'queue':'a','payload':'x','delay':0|\"delay\" must be a whole number from 1 to 2^53-1",
        "'queue':'a','payload':'x','delay':'1'|\"delay\" must be a whole number from 1 to 2^53-1",
        "'queue':'a','payload':'x','persistent':1|\"persistent\" must be true or false",
        "'queue':'a','payload':'x','messageType':1|\"messageType\" must be a string",
        "'queue':'a','payload':'x','group':''|\"group\" must have from 1 to 255 characters",
        "'queue':'a','payload':'x','id':''|\"id\" must have from 1 to 128 characters",
        "'queue':'a','payload':'x','replyTo':'b'|\"replyTo\" must be {\"topic\":\"…\"} or"
            + " {\"queue\":\"…\"}",
        "'queue':'a','payload':'x','replyTo':{}|\"replyTo\" must be {\"topic\":\"…\"} or"
            + " {\"queue\":\"…\"}",
        "'queue':'a','payload':'x','replyTo':{'topic':'b','queue':'c'}|\"replyTo\" must be"
            + " {\"topic\":\"…\"} or {\"queue\":\"…\"}",
        "'queue':'a','payload':'x','types':1|\"types\" must be an object",
        "'queue':'a','payload':'x','types':{'b':'char'}|type of property \"b\" must be byte, short,"
            + " int, long, float or double",
        "'queue':'a','payload':'x','types':{'b':'int'}|property \"b\" has a type, but is not a"
            + " number",
        "'queue':'a','payload':'x','properties':{'b':'x'},'types':{'b':'int'}|property \"b\" has a"
            + " type, but is not a number",
        "'queue':'a','payload':'x','properties':{'b':128},'types':{'b':'byte'}|property \"b\" is"
            + " not in the range of byte",
        "'queue':'a','payload':'x','properties':{'b':-32769},'types':{'b':'short'}|property \"b\""
            + " is not in the range of short",
        "'queue':'a','payload':'x','properties':{'b':2147483648},'types':{'b':'int'}|property \"b\""
            + " is not in the range of int",
        "'queue':'a','payload':'x','properties':{'b':1.5},'types':{'b':'long'}|property \"b\" is"
            + " not in the range of long",
        "'queue':'a','payload':'x','properties':{'b':1e39},'types':{'b':'float'}|property \"b\" is"
            + " not in the range of float",
      })
  void shouldNameWhatIsWrong(String members, String why) {
    ClientFrame frame =
        parse("{\"type\":\"publish\",\"ref\":3," + members.replace('\'', '"') + "}");
    assertThat(frame.ref()).isEqualTo(3);
    if (frame instanceof ClientFrame.Publish publish) { // its body is checked later
      assertThat(StructuredBody.problem(publish.payload())).isEqualTo(why);
      return;
    }
    ClientFrame.Malformed refused = (ClientFrame.Malformed) frame;
    assertThat(refused.code()).isEqualTo(ErrorCode.BAD_FRAME);
    assertThat(refused.message()).isEqualTo(why);
  }

  @ParameterizedTest
  @ValueSource(strings = {"messageType", "correlationId", "group"})
  void shouldBoundTexts(String member) {
    String frame = "{\"type\":\"publish\",\"topic\":\"a\",\"payload\":\"\",\"%s\":\"%s\"}";
    assertThat(parse(frame.formatted(member, "x".repeat(255))))
        .isInstanceOf(ClientFrame.Publish.class);
    assertThat(parse(frame.formatted(member, "x".repeat(256))))
        .isInstanceOf(ClientFrame.Malformed.class);
  }

  @Test
  void shouldBoundIds() {
    String frame = "{\"type\":\"publish\",\"topic\":\"a\",\"payload\":\"\",\"id\":\"%s\"}";
    assertThat(parse(frame.formatted("x".repeat(128)))).isInstanceOf(ClientFrame.Publish.class);
    assertThat(parse(frame.formatted("x".repeat(129)))).isInstanceOf(ClientFrame.Malformed.class);
  }

  @Test
  void shouldReportTheQueueOfAMalformedFrame() {
    ClientFrame.Malformed refused =
        (ClientFrame.Malformed) parse("{\"type\":\"publish\",\"ref\":3,\"queue\":\"orders\"}");
    assertThat(refused.destination()).isEqualTo(Destination.queue("orders"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "a|{\"queue\":\"b\"}|\"topic\" and \"queue\" exclude each other",
        "|{}|\"topic\" or \"queue\" is missing",
        "a|[]|the members are not a JSON object",
        "a|{} {}|unexpected data after the members",
        "a|{\"payload\":\"x\"}|\"payload\" is not allowed among the members",
        "a|{\"type\":\"x\"}|\"type\" is not allowed among the members",
        "a|{\"priority\":10}|\"priority\" must be a whole number from 0 to 9",
      })
  void shouldRefuseBinaryFramesWithInvalidMembers(String topic, String members, String why) {
    String frame = withMembers(0x22, topic == null ? "" : topic, members, "");
    ClientFrame.Malformed refused = (ClientFrame.Malformed) parseBinary(frame);
    assertThat(refused.ref()).isEqualTo(3);
    assertThat(refused.code()).isEqualTo(ErrorCode.BAD_FRAME);
    assertThat(refused.message()).isEqualTo(why);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "22000000030001|topic length 1 exceeds the frame",
        "2200000003000161|the length of the members is missing",
        "220000000300016100037b7d|members length 3 exceeds the frame",
        "020000000300016180|the payload is not UTF-8",
        "2200000003000161|the length of the members is missing",
      })
  void shouldRefuseTruncatedBinaryFrames(String hex, String why) {
    ClientFrame.Malformed refused = (ClientFrame.Malformed) parseBinary(hex);
    assertThat(refused.ref()).isEqualTo(3);
    assertThat(refused.message()).isEqualTo(why);
  }
}
