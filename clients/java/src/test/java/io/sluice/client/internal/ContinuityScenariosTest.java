package io.sluice.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Runs the scenarios of docs/protocol/continuity.json. */
final class ContinuityScenariosTest {
  private static final Path SCENARIOS = Path.of("..", "..", "docs", "protocol", "continuity.json");
  private static final long CHANNEL = 5;

  @TestFactory
  List<DynamicTest> shouldPassTheScenarios() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (Object scenario : list(object(Json.parse(Files.readString(SCENARIOS))).get("scenarios"))) {
      String name = text(object(scenario).get("name"));
      Player json = new Player(object(scenario), false);
      Player binary = new Player(object(scenario), true);
      tests.add(DynamicTest.dynamicTest(name + " in JSON", json::play));
      tests.add(DynamicTest.dynamicTest(name + " in binary", binary::play));
    }
    assertThat(tests).hasSizeGreaterThan(80);
    return tests;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> object(Object value) {
    return (Map<String, Object>) value;
  }

  private static List<?> list(Object value) {
    return (List<?>) value;
  }

  private static String text(Object value) {
    return (String) value;
  }

  /** Player of one scenario; records the client's actions until the scenario expects them. */
  private static final class Player {
    private final List<?> steps;
    private final Continuity continuity;
    private final Queue<String> actions = new ArrayDeque<>();
    private final boolean isBinary;
    private BinaryDecoder decoder = new BinaryDecoder();
    private int overlap;

    Player(Map<String, Object> scenario, boolean isBinary) {
      this.isBinary = isBinary;
      steps = list(scenario.get("steps"));
      Object from = object(scenario.get("asks")).get("from");
      continuity = new Continuity("now".equals(from) ? null : from);
    }

    void play() {
      for (Object step : steps) {
        object(step).forEach(this::play);
      }
      assertThat(actions).isEmpty();
    }

    private void play(String name, Object value) {
      switch (name) {
        case "connect" -> {
          decoder = new BinaryDecoder();
          overlap = ((Long) object(value).get("overlap")).intValue();
          Object from = continuity.onSubscribe();
          actions.add("subscribe " + Json.write(from == null ? Map.of() : Map.of("from", from)));
        }
        case "disconnect" -> assertThat(actions).isEmpty();
        case "receive" -> receive(decoded(object(value)));
        case "position" -> assertThat(continuity.position()).isEqualTo(value);
        case "subscribe" -> assertThat(actions.poll()).isEqualTo("subscribe " + Json.write(value));
        default -> assertThat(actions.poll()).isEqualTo(name + " " + value);
      }
    }

    /** Returns the frame as it arrives in the encoding. */
    private Frame decoded(Map<String, Object> members) {
      Frame frame = Frame.of(members);
      if (!isBinary) {
        return frame;
      }
      if (!frame.type().equals("message")) {
        Map<String, Object> withChannel = new LinkedHashMap<>(members);
        withChannel.put("channel", CHANNEL);
        decoder.observe(Frame.of(withChannel));
        return frame;
      }
      byte[] payload = frame.text("payload").getBytes(StandardCharsets.UTF_8);
      ByteBuffer bytes = ByteBuffer.allocate(20 + payload.length);
      bytes.putInt(1 << 24 | (int) CHANNEL).putInt((int) frame.number("offset"));
      bytes.putLong(Long.parseUnsignedLong(frame.id(), 16)).putInt((int) frame.number("time"));
      Frame decoded = decoder.decode(bytes.put(payload).flip(), frame.number("time"));
      assertThat(decoded.get("offset")).isEqualTo(frame.get("offset"));
      return decoded;
    }

    private void receive(Frame frame) {
      switch (frame.type()) {
        case "subscribed" -> addGap(continuity.onSubscribed(frame, overlap));
        case "message" ->
            actions.add((continuity.onMessage(frame) ? "deliver " : "drop ") + frame.id());
        case "gap" -> addGap(continuity.onGap(frame));
        case "caught-up" -> continuity.onCaughtUp(frame.number("time"));
        default -> throw new AssertionError("no such frame: " + frame.type());
      }
    }

    private void addGap(String reason) {
      if (reason != null) {
        actions.add("gap " + reason);
      }
    }
  }
}
