package io.sluice.gateway.streams.events;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.streams.events.EventSourceReader.Event;
import io.sluice.gateway.streams.route.EventText;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the events of messages are what a browser reads from them. */
final class EventDataTest {
  private static final Channel CHANNEL = new Channel(1, "stocks.7", "stocks.*");

  private static List<Event> read(EventData form, PayloadKind kind, byte[] payload) {
    byte[] properties = "{\"a\":1}".getBytes(UTF_8);
    Message message = new Message("stocks.7", 255, 1763700000000L, kind, payload, properties);
    ByteBuf out = Unpooled.buffer();
    form.write(message, CHANNEL, 42, out);
    EventText.end(out);
    return EventSourceReader.of(out.toString(UTF_8)).events;
  }

  private static Event payload(PayloadKind kind, String text) {
    List<Event> events = read(EventData.PAYLOAD, kind, text.getBytes(UTF_8));
    assertThat(events).hasSize(1);
    return events.get(0);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "a", " a b ", "a\nb", "\n", "\n\n", "a\n", ":", "id: 1", "price €", "\0"})
  void shouldKeepText(String text) {
    assertThat(payload(PayloadKind.TEXT, text)).isEqualTo(new Event("message", text, ""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\r\nb", "a\rb", "\r\n", "a\r", "\r\r\n\n", "a\r\nid: 1\r\n\r\nb"})
  void shouldDeliverEachLineEndOfTextAsLf(String text) {
    String lines = text.replace("\r\n", "\n").replace('\r', '\n');
    assertThat(payload(PayloadKind.TEXT, text)).isEqualTo(new Event("message", lines, ""));
  }

  @Test
  void shouldNameTheTypeOfWhatIsNoText() {
    List<Event> bytes = read(EventData.PAYLOAD, PayloadKind.BYTES, new byte[] {0, -1, 16});
    assertThat(bytes).containsExactly(new Event("base64", "AP8Q", ""));
    assertThat(payload(PayloadKind.REMOVAL, "")).isEqualTo(new Event("removed", "", ""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a\r\nb\rc\n", "\"\\ \0 €"})
  void shouldKeepEveryTextInAMessage(String text) throws Exception {
    JsonNode message = message(PayloadKind.TEXT, text.getBytes(UTF_8));
    assertThat(message.get("payload").asText()).isEqualTo(text);
  }

  @Test
  void shouldHaveTheMembersOfTheProtocolInAMessage() throws Exception {
    assertThat(message(PayloadKind.BYTES, new byte[] {0, -1, 16}))
        .hasToString(
            "{\"type\":\"message\",\"topic\":\"stocks.7\",\"pattern\":\"stocks.*\",\"offset\":42,"
                + "\"id\":\"00000000000000ff\",\"time\":1763700000000,\"properties\":{\"a\":1},"
                + "\"encoding\":\"base64\",\"payload\":\"AP8Q\"}");
    JsonNode json = message(PayloadKind.JSON, "{\"b\":\r\n[2]}".getBytes(UTF_8));
    assertThat(json.get("encoding").asText()).isEqualTo("json");
    assertThat(json.get("payload")).hasToString("{\"b\":[2]}");
    JsonNode removal = message(PayloadKind.REMOVAL, new byte[0]);
    assertThat(removal.get("removed").asBoolean()).isTrue();
    assertThat(removal.get("payload").asText()).isEmpty();
  }

  private static JsonNode message(PayloadKind kind, byte[] payload) throws Exception {
    List<Event> events = read(EventData.MESSAGE, kind, payload);
    assertThat(events).hasSize(1);
    assertThat(events.get(0).type()).isEqualTo("message");
    return new ObjectMapper().readTree(events.get(0).data());
  }
}
