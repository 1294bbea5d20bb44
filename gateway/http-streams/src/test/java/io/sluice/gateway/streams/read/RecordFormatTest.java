package io.sluice.gateway.streams.read;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PositionText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RecordFormatTest {
  private static String of(PayloadKind kind, byte[] payload, String topic) {
    ByteBuf out = Unpooled.buffer();
    Message message = new Message("t", 1, 2, kind, payload, null);
    Channel channel = topic == null ? new Channel(1, "t", null) : new Channel(1, topic, "*");
    ByteBuf record =
        RecordFormat.INSTANCE.encode(message, channel, 7, UnpooledByteBufAllocator.DEFAULT);
    MessageRecord read = new MessageRecord(record);
    assertThat(PositionText.parse(read.position()).offset()).isEqualTo(7);
    read.writeElement(out);
    read.pass();
    assertThat(record.isReadable()).isFalse();
    record.release();
    return out.toString(UTF_8);
  }

  private static String text(String payload) {
    return of(PayloadKind.TEXT, payload.getBytes(UTF_8), null);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"n\":1}", "[1]", " 42 ", "\"a\"", "-1.5e3", "true", "null", "[\n]"})
  void shouldKeepJson(String json) {
    assertThat(text(json)).isEqualTo(json);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "hello", "{", "1 2", "01", "tru", "{\"a\":1,\"a\":1}", "{}x", "\"", "-"})
  void shouldQuoteOtherText(String text) {
    assertThat(text(text)).isEqualTo("\"" + text.replace("\"", "\\\"") + "\"");
  }

  @Test
  void shouldNotReadTextAsAnotherEncoding() {
    assertThat(text("\0\"\0a\0\"")).isEqualTo("\"\\u0000\\\"\\u0000a\\u0000\\\"\"");
    assertThat(text("1\0")).isEqualTo("\"1\\u0000\"");
  }

  @Test
  void shouldQuoteTextThatIsNestedTooDeep() {
    String deep = "[".repeat(33) + "]".repeat(33);
    assertThat(text(deep)).isEqualTo("\"" + deep + "\"");
  }

  @Test
  void shouldEscapeLongText() {
    assertThat(text("x\n".repeat(2_000))).isEqualTo("\"" + "x\\n".repeat(2_000) + "\"");
  }

  @Test
  void shouldEncodeBytesAndRemovals() {
    assertThat(of(PayloadKind.BYTES, new byte[] {0, -1}, null)).isEqualTo("\"AP8=\"");
    assertThat(of(PayloadKind.REMOVAL, new byte[0], null)).isEqualTo("null");
  }

  @Test
  void shouldNameTheTopicOfAPattern() {
    assertThat(of(PayloadKind.TEXT, "7".getBytes(UTF_8), "a.b"))
        .isEqualTo("{\"topic\":\"a.b\",\"payload\":7}");
  }
}
