package io.sluice.gateway.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Runs the scenarios of docs/protocol/continuity.json against the example client. */
final class ContinuityScenariosTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path SCENARIOS = Path.of("..", "docs", "protocol", "continuity.json");

  @TestFactory
  List<DynamicTest> theClientDoesWhatTheScenariosSay() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (JsonNode scenario : JSON.readTree(SCENARIOS.toFile()).get("scenarios")) {
      String name = scenario.get("name").asText();
      tests.add(DynamicTest.dynamicTest(name, () -> new Player(scenario).play()));
    }
    return tests;
  }

  /** Player of one scenario; records the client's calls until the scenario expects them. */
  private static final class Player implements MessageListener {
    private final JsonNode scenario;
    private final Continuity continuity;
    private final Queue<String> done = new ArrayDeque<>();
    private int overlap;

    Player(JsonNode scenario) {
      this.scenario = scenario;
      JsonNode from = scenario.get("asks").get("from");
      boolean isNow = from == null || from.asText().equals("now");
      this.continuity = new Continuity(isNow ? null : from, this);
    }

    void play() {
      for (JsonNode step : scenario.get("steps")) {
        String name = step.fieldNames().next();
        play(name, step.get(name));
      }
      assertThat(done).isEmpty();
    }

    private void play(String name, JsonNode value) {
      switch (name) {
        case "connect" -> {
          overlap = value.get("overlap").asInt();
          JsonNode from = continuity.onSubscribe();
          ObjectNode subscribe = JSON.createObjectNode();
          done.add("subscribe " + (from == null ? subscribe : subscribe.set("from", from)));
        }
        case "disconnect" -> assertThat(done).isEmpty();
        case "receive" -> receive(value);
        case "position" -> {
          JsonNode position = continuity.position();
          assertThat(position == null ? "null" : position.toString()).isEqualTo(value.toString());
        }
        case "subscribe" -> assertThat(done.poll()).isEqualTo("subscribe " + value);
        default -> assertThat(done.poll()).isEqualTo(name + " " + value.asText());
      }
    }

    private void receive(JsonNode frame) {
      switch (frame.get("type").asText()) {
        case "subscribed" -> continuity.onSubscribed(frame, overlap);
        case "message" -> {
          int before = done.size();
          continuity.onMessage(frame);
          if (done.size() == before) {
            done.add("drop " + frame.get("id").asText());
          }
        }
        case "gap" -> continuity.onGap(frame);
        case "caught-up" -> continuity.onCaughtUp(frame.get("time").asLong());
        default -> throw new AssertionError("no such frame: " + frame);
      }
    }

    @Override
    public void onMessage(JsonNode message) {
      done.add("deliver " + message.get("id").asText());
    }

    @Override
    public void onGap(String reason) {
      done.add("gap " + reason);
    }
  }
}
