package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.RawWebSocket;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Refusals of each frame, many more than their rate: they never cost the connection. */
@Timeout(180)
final class RefusalsIT {
  private static final int ERRORS = 3;

  /** Refused frames of a client: four times the burst of ten seconds. */
  private static final int MANY = 4 * 10 * ERRORS;

  private static final Config CONFIG =
      TestNode.config("artemis", "tcp://127.0.0.1:1")
          .with(TopicSettings.SUBSCRIBE_TOPICS, List.of("stocks.>"))
          .with(TopicSettings.PUBLISH_TOPICS, List.of("chat.*"))
          .with(TopicSettings.PRESENCE_TOPICS, List.of("room.*"))
          .with(TopicSettings.QUEUES_SEND, List.of("in.*"))
          .with(TopicSettings.QUEUES_CONSUME, List.of("out.*"))
          .with(LimitSettings.SUBSCRIPTIONS, 1)
          .with(LimitSettings.CONSUMERS, 1)
          .with(LimitSettings.CLIENT_ERRORS, ERRORS);

  private static TestNode node;

  @BeforeAll
  static void startNode() {
    node = TestNode.start(CONFIG);
  }

  @AfterAll
  static void stopNode() {
    node.close();
  }

  private static String frame(String members) {
    return "{" + members.replace('\'', '"').replace("LONG", "x".repeat(255)) + "}";
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "'type':'subscribe','ref':1,'topic':'secrets.1'|forbidden",
        "'type':'subscribe','ref':1,'topic':'>'|forbidden",
        "'type':'subscribe','ref':1,'topic':'stocks..1'|invalid-topic",
        "'type':'subscribe','ref':1,'topic':'stocks.1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16'|topic-too-deep",
        "'type':'subscribe','ref':1,'topic':'stocks.LONG'|topic-too-long",
        "'type':'subscribe','ref':1,'topic':'stocks.held'|already-subscribed",
        "'type':'subscribe','ref':1,'topic':'stocks.other'|too-many-subscriptions",
        "'type':'subscribe','ref':1,'topic':'stocks.1','tagged':true,'where':'/*'"
            + "|invalid-selector",
        "'type':'unsubscribe','ref':1,'topic':'stocks.2'|not-subscribed",
        "'type':'publish','ref':1,'topic':'stocks.1','payload':''|forbidden",
        "'type':'publish','ref':1,'topic':'chat.*','payload':''|invalid-topic",
        "'type':'request','ref':1,'topic':'stocks.1','payload':''|forbidden",
        "'type':'request','ref':1,'queue':'secret','payload':''|forbidden",
        "'type':'consume','ref':1,'queue':'secret'|forbidden",
        "'type':'consume','ref':1,'queue':'out..1'|invalid-topic",
        "'type':'consume','ref':1,'topic':'secret','shared':'a'|forbidden",
        "'type':'consume','ref':1,'topic':'secret','durable':'a'|forbidden",
        "'type':'consume','ref':1,'queue':'out.other'|too-many-consumers",
        "'type':'browse','ref':1,'queue':'secret'|forbidden",
        "'type':'list','ref':1|forbidden",
        "'type':'delete','ref':1,'topic':'secret','durable':'a'|forbidden",
        "'type':'presence','ref':1,'topic':'secret'|forbidden",
        "'type':'leave','ref':1,'topic':'room.2'|not-subscribed",
        "'type':'ack','ref':1,'subscription':77,'tag':1|not-pending",
        "'type':'reject','ref':1,'subscription':77,'tag':1|not-pending",
        "'type':'respond','ref':1,'subscription':77,'tag':1,'payload':''|not-pending",
        "'type':'credit','ref':1,'subscription':77,'credit':1|not-pending",
        "'type':'transaction','ref':1,'publish':[{'queue':'secret','payload':''}]|forbidden",
        "'type':'transaction','ref':1,'ack':[{'subscription':77,'tag':1}]|not-pending",
      })
  void shouldNeverCostTheConnection(String members, String code) {
    try (RawWebSocket client = node.json();
        RawWebSocket other = node.json()) {
      client.text(frame("'type':'subscribe','ref':8,'topic':'stocks.held'"));
      client.text(frame("'type':'consume','ref':9,'queue':'out.held'"));
      client.text(frame("'type':'ping','ref':10"));
      client.await("pong");
      for (int i = 0; i < MANY; i++) {
        client.text(frame(members));
      }
      client.text(frame("'type':'ping','ref':2"));
      Set<String> codes = new TreeSet<>();
      int answers = 0;
      for (JsonNode next = client.readJson();
          !next.get("type").asText().equals("pong");
          next = client.readJson()) {
        if (next.get("type").asText().equals("error") && next.path("ref").asInt() == 1) {
          answers++;
          codes.add(next.get("code").asText());
        }
      }

      assertThat(codes).contains(code).isSubsetOf(code, "rate-limited");
      assertThat(answers).as("each frame is answered").isEqualTo(MANY);
      other.text(frame("'type':'ping','ref':3"));
      other.await("pong");
    }
  }

  @Test
  void shouldLimitTheRateOfRefusals() {
    try (RawWebSocket client = node.json()) {
      for (int i = 0; i < MANY; i++) {
        client.text(frame("'type':'subscribe','ref':1,'topic':'secrets.1'"));
      }
      JsonNode last = client.await("error");
      while (!last.get("code").asText().equals("rate-limited")) {
        last = client.await("error");
      }
      assertThat(last.get("message").asText())
          .isEqualTo("over 3 refused frames a second; this one is refused with forbidden");
      assertThat(last.get("topic").asText()).isEqualTo("secrets.1");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "'type':'subscribe','ref':1|bad-frame",
        "'type':'dance','ref':1|unknown-type",
        "'type':'connect','ref':1|already-connected",
        "'type'|bad-json",
      })
  void shouldCloseTheConnectionForMalformedFrames(String members, String code) {
    try (RawWebSocket client = node.json()) {
      client.text(frame("'type':'ping','ref':1"));
      client.await("pong");
      client.text(frame(members));
      assertThat(client.await("error").get("code").asText()).isEqualTo(code);
      for (int i = 1; i < ERRORS; i++) {
        client.text(frame(members));
      }
      assertThat(client.awaitClose()).isEqualTo(4203);
    }
  }
}
