package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.TestNode;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Publishes that an Artemis refuses, each answered to the client that has sent it. */
@Timeout(180)
final class RefusedPublishIT {
  private static TestBroker broker;
  private static TestNode node;

  @BeforeAll
  static void start() {
    broker = ArtemisProcess.start("--guarded", "guarded", "--closed", "closed");
    node = TestNode.start(TestNode.config("artemis", broker.url()));
    await()
        .untilAsserted(() -> assertThat(node.admin("/health/ready").statusCode()).isEqualTo(200));
  }

  @AfterAll
  static void stop() {
    node.close();
    broker.close();
  }

  @ParameterizedTest
  @CsvSource({
    "guarded, forbidden", // it is there; sending is forbidden
    "guarded.new, forbidden", // it is not there; creating it is forbidden
    "closed.new, unknown-topic" // it is not there; nobody creates any
  })
  void shouldReportAPublishThatTheBrokerRefuses(String topic, String code) {
    try (RawWebSocket client = node.json()) {
      client.text(publish(1, topic));
      JsonNode error = client.await("error");
      assertThat(error.path("ref").asInt()).isEqualTo(1);
      assertThat(error.path("code").asText()).isEqualTo(code);
      client.text(publish(2, "open"));
      assertThat(client.await("published").path("ref").asInt()).isEqualTo(2);
    }
  }

  private static String publish(int ref, String topic) {
    return "{\"type\":\"publish\",\"ref\":%d,\"topic\":\"%s\",\"payload\":\"x\"}"
        .formatted(ref, topic);
  }
}
