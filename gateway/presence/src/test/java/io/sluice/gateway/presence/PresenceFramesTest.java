package io.sluice.gateway.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.parser.ClientFrameParser;
import io.sluice.gateway.protocol.presence.PresenceMember;
import io.sluice.gateway.protocol.presence.PresenceView;
import io.sluice.gateway.websocket.WebSocketFrame;
import io.sluice.testkit.Golden;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PresenceFramesTest {
  private static final PresenceMember ANN =
      new PresenceMember("wHq3XhYk0vG2cB1d", "ann", "{\"name\":\"Ann\"}");
  private static final PresenceMember ANONYMOUS = new PresenceMember("x7Pq0aJtS5nE4rLu", "", null);

  private final PresenceFrames frames = new PresenceFrames(UnpooledByteBufAllocator.DEFAULT);
  private final ClientFrameParser parser = new ClientFrameParser();

  private static void assertGolden(ByteBuf frame, String name) {
    frame.skipBytes(WebSocketFrame.headerBytesOf(frame));
    assertThat(frame.toString(StandardCharsets.UTF_8)).isEqualTo(Golden.text("presence", name));
    frame.release();
  }

  @Test
  void shouldEncodeTheGoldenFrames() {
    byte[] one = frames.state(new PresenceView(1, List.of(ANN), false), true);
    assertGolden(frames.present(7, "room.1", ANN.id(), one), "state of a new member");
    PresenceView two = new PresenceView(2, List.of(ANN, ANONYMOUS), false);
    assertGolden(frames.present("room.1", frames.state(two, false)), "count");
    byte[] change = frames.change(two, List.of(ANONYMOUS), List.of("Vd81kZmC6yWf2oTb"));
    assertGolden(frames.present("room.1", change), "change of members");
    byte[] many = frames.state(new PresenceView(4711, null, true), true);
    assertGolden(frames.present("room.1", many), "too many members");
    assertGolden(frames.left(8, "room.1"), "left");
  }

  private ClientFrame parse(String text) {
    return parser.parseText(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
  }

  @Test
  void shouldParseTheGoldenFrames() {
    assertThat(parse(Golden.text("clientPresence", "enter and watch")))
        .isEqualTo(
            new ClientFrame.Presence(
                7,
                "room.1",
                true,
                true,
                true,
                "5kT0m1Zq9e",
                "{\"name\":\"Ann\",\"tags\":[1,null,true]}"));
    assertThat(parse(Golden.text("clientPresence", "watch the count")))
        .isEqualTo(new ClientFrame.Presence(7, "room.1", false, true, false, null, null));
    assertThat(parse(Golden.text("clientPresence", "query")))
        .isEqualTo(new ClientFrame.Presence(7, "room.1", false, false, false, null, null));
    assertThat(parse(Golden.text("clientPresence", "leave")))
        .isEqualTo(new ClientFrame.Leave(8, "room.1"));
  }

  @Test
  void shouldKeepNumbersOfTheInfo() {
    ClientFrame frame =
        parse("{\"type\":\"presence\",\"ref\":1,\"topic\":\"a\",\"enter\":true,\"info\": 0.10 }");
    assertThat(((ClientFrame.Presence) frame).info()).isEqualTo("0.10");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\\ud83d", "\\ude00", "\\ude00\\ud83d"})
  void shouldRejectAnInfoThatCannotBeSent(String escaped) {
    String text =
        "{\"type\":\"presence\",\"ref\":1,\"topic\":\"a\",\"enter\":true,\"info\":[\"%s\"]}";
    ClientFrame frame = parse(text.formatted(escaped));
    assertThat(((ClientFrame.Malformed) frame).message())
        .isEqualTo("\"info\" has an unpaired surrogate");
  }

  @Test
  void shouldEncodeAnInfoBeyondTheBasicPlane() {
    String text =
        "{\"type\":\"presence\",\"ref\":1,\"topic\":\"a\",\"enter\":true,"
            + "\"info\":\"\\ud83d\\ude00\"}";
    String info = ((ClientFrame.Presence) parse(text)).info();
    PresenceMember member = new PresenceMember("a", "", info);
    byte[] state = frames.state(new PresenceView(1, List.of(member), false), true);
    assertThat(new String(state, StandardCharsets.UTF_8)).contains("\"info\":\"\ud83d\ude00\"");
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      value = {
        "\"topic\":\"a\" | \"ref\" of presence is missing",
        "\"ref\":1 | \"topic\" is missing",
        "\"ref\":1,\"topic\":\"a\",\"key\":\"k\" | \"key\" requires \"enter\":true",
        "\"ref\":1,\"topic\":\"a\",\"info\":{} | \"info\" requires \"enter\":true",
        "\"ref\":1,\"topic\":\"a\",\"enter\":1 | \"enter\" must be true or false",
        "\"ref\":1,\"topic\":\"a\",\"key\":\"\" | \"key\" must have 1 to 128 characters",
      })
  void shouldNameTheProblem(String members, String problem) {
    ClientFrame frame = parse("{\"type\":\"presence\"," + members + "}");
    assertThat(((ClientFrame.Malformed) frame).message()).isEqualTo(problem);
  }

  @Test
  void shouldLimitTheKey() {
    String text = "{\"type\":\"presence\",\"ref\":1,\"topic\":\"a\",\"enter\":true,\"key\":\"%s\"}";
    assertThat(parse(text.formatted("k".repeat(128)))).isInstanceOf(ClientFrame.Presence.class);
    assertThat(parse(text.formatted("k".repeat(129)))).isInstanceOf(ClientFrame.Malformed.class);
  }
}
