package io.sluice.gateway.sim;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.protocol.InterestKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Runs the scenarios of docs/protocol/continuity.json against the simulation's client. */
class ContinuityScenariosTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path SCENARIOS = Path.of("..", "..", "docs", "protocol", "continuity.json");

  @TestFactory
  List<DynamicTest> theClientDoesWhatTheScenariosSay() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (JsonNode scenario : JSON.readTree(SCENARIOS.toFile()).get("scenarios")) {
      String name = scenario.get("name").asText();
      tests.add(DynamicTest.dynamicTest(name, () -> new Runner(scenario).run()));
    }
    return tests;
  }

  /** Execution of one scenario. */
  private static final class Runner implements Continuity.Listener {
    private final JsonNode scenario;
    private final Queue<String> happened = new ArrayDeque<>();
    private final ClientSubscription subscription;
    private boolean answered;

    Runner(JsonNode scenario) {
      this.scenario = scenario;
      JsonNode asks = scenario.get("asks");
      JsonNode from = asks.get("from");
      Continuity continuity =
          new Continuity(from == null ? "\"now\"" : from.toString(), Set.of(), this);
      if (from != null && from.has("epoch")) {
        continuity.resumeAt(position(from));
      }
      String delivery = asks.has("delivery") || asks.has("rate") ? "latest" : "";
      subscription =
          new ClientSubscription(0, InterestKey.of("stocks.7"), delivery, continuity, null, null);
    }

    void run() {
      for (JsonNode step : scenario.get("steps")) {
        String name = step.fieldNames().next();
        step(name, step.get(name));
      }
      assertThat(happened).isEmpty();
    }

    private void step(String name, JsonNode value) {
      Continuity continuity = subscription.continuity;
      switch (name) {
        case "connect" -> {
          continuity.overlap(value.get("overlap").asInt());
          happened.add("subscribe");
        }
        case "disconnect" -> {
          answered = false;
          continuity.onConnectionLost();
        }
        case "receive" -> receive(value);
        case "subscribe" -> {
          expect("subscribe");
          expectFrom(value.get("from"));
        }
        case "gap" -> expect("gap");
        case "deliver", "drop" -> expect(name + " " + value.asText());
        case "position" -> expectPosition(value);
        default -> throw new AssertionError("no such step: " + name);
      }
    }

    private void expect(String event) {
      assertThat(happened.poll()).isEqualTo(event);
    }

    private void receive(JsonNode frame) {
      Continuity continuity = subscription.continuity;
      switch (frame.get("type").asText()) {
        case "subscribed" -> {
          answered = true;
          continuity.onSubscribed(ClientSubscription.answer(frame));
        }
        case "message" -> {
          if (answered) {
            continuity.onMessage(
                Long.parseUnsignedLong(frame.get("id").asText(), 16), frame.get("offset").asLong());
          }
        }
        case "gap" ->
            continuity.onGap(
                frame.get("reason").asText(),
                frame.get("offset").asLong(),
                frame.get("time").asLong(),
                ClientSubscription.begun(frame));
        case "caught-up" -> continuity.onCaughtUp(frame.get("time").asLong());
        default -> {
          // nothing that a position depends on
        }
      }
    }

    private void expectFrom(JsonNode from) {
      JsonNode given = parse(subscription.continuity.from());
      if (from == null) {
        assertThat(given.asText()).isEqualTo("now");
      } else if (from.has("epoch")) {
        assertSamePosition(given, from);
      } else {
        assertThat(given).isEqualTo(from);
      }
    }

    private static Position position(JsonNode from) {
      List<Long> ids = ids(from).stream().map(id -> Long.parseUnsignedLong(id, 16)).toList();
      return new Position(
          Long.parseUnsignedLong(from.get("epoch").asText(), 16),
          from.get("offset").asLong(),
          ids,
          from.path("since").asLong(),
          from.path("time").asLong());
    }

    private void expectPosition(JsonNode position) {
      Position kept = subscription.continuity.position();
      if (position.isNull()) {
        assertThat(kept).isNull();
      } else {
        assertSamePosition(parse(kept.json()), position);
      }
    }

    private static void assertSamePosition(JsonNode given, JsonNode expected) {
      for (String member : List.of("epoch", "offset", "since", "time")) {
        assertThat(given.get(member)).as(member).isEqualTo(expected.get(member));
      }
      List<String> ids = ids(given);
      List<String> all = ids(expected);
      int shorter = Math.min(ids.size(), all.size());
      assertThat(last(ids, shorter)).as("ids").isEqualTo(last(all, shorter));
    }

    private static List<String> ids(JsonNode position) {
      return StreamSupport.stream(position.path("ids").spliterator(), false)
          .map(JsonNode::asText)
          .toList();
    }

    private static List<String> last(List<String> all, int count) {
      return all.subList(all.size() - count, all.size());
    }

    private static JsonNode parse(String json) {
      try {
        return JSON.readTree(json);
      } catch (IOException e) {
        throw new AssertionError(json, e);
      }
    }

    @Override
    public void onBegin() {
      // not part of the scenarios
    }

    @Override
    public void onMessage(long id) {
      happened.add("deliver " + "%016x".formatted(id));
    }

    @Override
    public void onKnown(long id, boolean replayed) {
      happened.add("drop " + "%016x".formatted(id));
    }

    @Override
    public void onGap(String reason) {
      happened.add("gap");
    }
  }
}
