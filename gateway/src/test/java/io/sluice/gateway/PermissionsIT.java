package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Permissions of clients without a credential: docs/reference/security.md. */
final class PermissionsIT {
  private static TestBroker broker;
  private static TestNode node;
  private static TestPublisher publisher;

  @BeforeAll
  static void start() throws Exception {
    broker = TestBroker.start("artemis");
    node =
        TestNode.start(
            TestNode.config(broker.provider(), broker.url())
                .with(TopicSettings.SUBSCRIBE_TOPICS, List.of("public.>", "prices.>")),
            TopicSettings.PERMISSION_RULES,
            List.of(
                new PermissionRule(
                    Map.of(),
                    List.of("public.*", "hidden.>", "of-{sub}.>"),
                    List.of("public.in", "{sub}")),
                new PermissionRule(Map.of("sub", "*"), List.of("prices.>"), List.of("prices.>"))));
    publisher = new TestPublisher(broker.provider(), broker.url());
    node.awaitReady();
  }

  @AfterAll
  static void stop() throws Exception {
    publisher.close();
    node.close();
    broker.close();
  }

  private static JsonNode refused(RawWebSocket client, String type, String topic) {
    client.text(
        "{\"type\":\"%s\",\"ref\":9,\"topic\":\"%s\",\"payload\":\"x\"}".formatted(type, topic));
    JsonNode error = client.await("error");
    assertThat(error.get("topic").asText()).isEqualTo(topic);
    return error;
  }

  @Test
  void shouldSendGrantedTopicsOnly() throws Exception {
    try (RawWebSocket client = node.json()) {
      client.subscribe(1, "public.*");
      for (String topic : List.of("public.>", ">", "*.a", "prices.a", "public.a.b", "of-.a")) {
        assertThat(refused(client, "subscribe", topic).get("code").asText())
            .as(topic)
            .isEqualTo("forbidden");
      }
      publisher.text("public.a.b", "no");
      publisher.text("prices.a", "no");
      publisher.text("public.a", "yes");
      assertThat(client.await("message").get("payload").asText()).isEqualTo("yes");
    }
  }

  @Test
  void shouldServeNothingBeyondTheTopicsOfTheNode() {
    try (RawWebSocket client = node.json()) {
      assertThat(refused(client, "subscribe", "hidden.a").get("message").asText())
          .isEqualTo("topic is not served by this node: \"hidden.a\"");
    }
  }

  @Test
  void shouldPublishToGrantedTopicsOnly() {
    try (RawWebSocket client = node.json()) {
      client.subscribe(1, "public.in");
      for (String topic : List.of("public.out", "public.in.a", "prices.a")) {
        assertThat(refused(client, "publish", topic).get("message").asText())
            .isEqualTo("this client may not publish to \"" + topic + "\"");
      }
      client.text("{\"type\":\"publish\",\"ref\":2,\"topic\":\"public.in\",\"payload\":\"hi\"}");
      assertThat(client.await("message").get("payload").asText()).isEqualTo("hi");
    }
  }
}
