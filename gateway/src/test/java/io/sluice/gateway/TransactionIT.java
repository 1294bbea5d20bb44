package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** Transactions of clients at real brokers: docs/PROTOCOL.md, section 3. */
@Timeout(180)
final class TransactionIT {
  private static Config config(TestBroker broker) {
    return TestNode.config(broker.provider(), broker.url())
        .with(LimitSettings.TRANSACTION, 3)
        .with(TopicSettings.QUEUES_SEND, List.of("orders", "fills"))
        .with(TopicSettings.QUEUES_CONSUME, List.of(">"))
        .with(TopicSettings.QUEUES_BROWSE, List.of(">"));
  }

  private static void say(RawWebSocket client, String members) {
    client.text("{" + members.replace('\'', '"') + "}");
  }

  private static String publish(String queue, String payload) {
    return "{'queue':'" + queue + "','payload':'" + payload + "'}";
  }

  /** Sends a transaction and returns its answer. */
  private static JsonNode transact(RawWebSocket client, String members, String answer) {
    say(client, "'type':'transaction','ref':9," + members);
    JsonNode frame = client.await(answer);
    assertThat(frame.get("ref").asInt()).isEqualTo(9);
    return frame;
  }

  private static int count(RawWebSocket client, String queue) {
    say(client, "'type':'browse','ref':5,'queue':'" + queue + "'");
    return client.await("browsed").get("count").asInt();
  }

  @ParameterizedTest
  @EachBroker
  void shouldProcessAMessageInATransaction(String provider) {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(config(broker));
        RawWebSocket client = node.json()) {
      say(client, "'type':'subscribe','ref':1,'topic':'audit'");
      client.await("subscribed");
      transact(
          client,
          "'publish':[" + publish("orders", "a") + "," + publish("orders", "b") + "]",
          "committed");
      say(client, "'type':'consume','ref':7,'queue':'orders','credit':2");
      assertThat(client.await("delivery").get("payload").asText()).isEqualTo("a");
      assertThat(client.await("delivery").get("payload").asText()).isEqualTo("b");

      say(
          client,
          "'type':'transaction','ref':9,'publish':["
              + publish("fills", "a1")
              + ",{'topic':'audit','payload':'a2'}],'ack':[{'subscription':7,'tag':1}]");
      assertThat(client.await("message").get("payload").asText()).isEqualTo("a2");
      assertThat(
              transact(client, "'ack':[{'subscription':7,'tag':1}]", "error").get("code").asText())
          .isEqualTo("not-pending");
      transact(client, "'ack':[{'subscription':7,'tag':2}]", "committed");
      assertThat(count(client, "fills")).isEqualTo(1);
      assertThat(count(client, "orders")).isZero();
      assertThat(node.admin("/metrics").body())
          .contains("sluice_transactions_total{outcome=\"not-pending\"} 1");
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldPublishNothingOfARefusedTransaction(String provider) {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(config(broker));
        RawWebSocket client = node.json()) {
      String fill = publish("fills", "x");

      JsonNode forbidden =
          transact(client, "'publish':[" + fill + "," + publish("secret", "x") + "]", "error");
      JsonNode large =
          transact(client, "'publish':[" + (fill + ",").repeat(3) + fill + "]", "error");
      transact(client, "'publish':[" + fill + "]", "committed");

      assertThat(forbidden.get("code").asText()).isEqualTo("forbidden");
      assertThat(forbidden.get("message").asText()).startsWith("publish 2: ");
      assertThat(large.get("code").asText()).isEqualTo("bad-frame");
      assertThat(large.get("message").asText()).contains("limits.transaction (3)");
      assertThat(count(client, "fills")).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldRefuseAcknowledgementsOfTwoConsumers(String provider) {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(config(broker));
        RawWebSocket client = node.json()) {
      JsonNode refused =
          transact(
              client, "'ack':[{'subscription':7,'tag':1},{'subscription':8,'tag':1}]", "error");
      assertThat(refused.get("code").asText()).isEqualTo("bad-frame");
      assertThat(refused.get("message").asText()).startsWith("ack 2: ");
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldPublishFromAStream(String provider) {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(config(broker));
        RawWebSocket client = node.json();
        RawWebSocket stream =
            node.stream(
                    ("{'type':'transaction','ref':9,'publish':["
                            + publish("fills", "x")
                            + ","
                            + publish("fills", "y")
                            + "]}")
                        .replace('\'', '"'))
                .open()) {
      assertThat(stream.await("committed").get("ref").asInt()).isEqualTo(9);
      assertThat(count(client, "fills")).isEqualTo(2);
    }
  }
}
