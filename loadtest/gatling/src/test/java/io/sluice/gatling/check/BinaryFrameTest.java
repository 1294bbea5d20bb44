package io.sluice.gatling.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BinaryFrameTest {
  private static final long NOW = 1_763_700_000_000L;
  private static final Path GOLDEN = Path.of("..", "..", "docs", "protocol", "golden.json");

  static Stream<JsonNode> goldenFrames() throws IOException {
    JsonNode golden = new ObjectMapper().readTree(GOLDEN.toFile());
    return Stream.of("messages", "tagged", "deliveries")
        .flatMap(kind -> StreamSupport.stream(golden.path(kind).spliterator(), false));
  }

  @ParameterizedTest
  @MethodSource("goldenFrames")
  void shouldReadGoldenFrames(JsonNode golden) {
    JsonNode json = Frames.parse(golden.path("json").asText());
    BinaryFrame frame = BinaryFrame.read(bytes(golden.path("binary").asText()));
    SluiceMessage expected = Frames.message(json);
    long number = json.path(frame.isDelivery() ? "tag" : "offset").asLong();

    SluiceMessage message = frame.message(expected.topic(), NOW);

    assertThat(message.text()).isEqualTo(expected.text());
    assertThat(message.id()).isEqualTo(expected.id());
    assertThat(message.time()).isEqualTo(expected.time());
    assertThat(message.member("properties")).isEqualTo(expected.member("properties"));
    assertThat(message.member("replyTo")).isEqualTo(expected.member("replyTo"));
    assertThat(message.member("redelivered")).isEqualTo(expected.member("redelivered"));
    assertThat(frame.ref()).isEqualTo(json.path("ref").asLong(-1));
    assertThat(frame.upTo(number)).isEqualTo(number);
    assertThat(frame.above(number - 1)).isEqualTo(number);
  }

  @Test
  void shouldContinueOffsetsBeyondThirtyTwoBits() {
    BinaryFrame frame = BinaryFrame.read(bytes("0100000c00000002" + "00".repeat(12)));

    assertThat(frame.above(0xffff_ffffL)).isEqualTo(0x1_0000_0002L);
    assertThat(frame.above(0x1_0000_0002L)).isEqualTo(0x2_0000_0002L);
    assertThat(frame.upTo(0x2_0000_0001L)).isEqualTo(0x1_0000_0002L);
  }

  @Test
  void shouldIgnoreUnknownTypes() {
    assertThat(BinaryFrame.read(bytes("0e"))).isNull();
  }

  @Test
  void shouldRefuseFramesThatAreTooShort() {
    String whole = "4100000c0000002a9e3779b97f4a7c15a4b6450000027b7d";

    assertThat(BinaryFrame.read(bytes(whole)).payload()).isEqualTo(24);
    for (int length = 1; length < 24; length++) {
      ByteBuf cut = bytes(whole.substring(0, 2 * length));
      assertThatThrownBy(() -> BinaryFrame.read(cut))
          .isInstanceOf(Frames.MalformedException.class)
          .hasMessage("binary frame is too short: " + cut.readableBytes() + " bytes");
    }
  }

  private static ByteBuf bytes(String hex) {
    return Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex));
  }
}
