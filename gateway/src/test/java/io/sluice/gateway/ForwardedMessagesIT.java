package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.ClassicBroker;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that the broker forwards to further topics under the same JMSMessageID. */
final class ForwardedMessagesIT {
  private static final int MESSAGES = 100;
  private static final List<String> NUMBERS =
      IntStream.range(0, MESSAGES).mapToObj(String::valueOf).toList();

  @TempDir private Path folder;

  private static TestBroker forwarding(String provider, String from, String... to) {
    if (provider.equals("classic")) {
      return ClassicBroker.startForwarding(from, to);
    }
    ArtemisProcess artemis = ArtemisProcess.start();
    artemis.forward(from, to);
    return artemis;
  }

  private Config config(TestBroker broker, boolean durable) {
    Config config = TestNode.config(broker.provider(), broker.url());
    return durable
        ? config
            .with(BrokerSettings.CLIENT_ID, "forwarded-it")
            .with(BrokerSettings.DURABLE, List.of("orders.>"))
            .with(HistorySettings.JOURNAL_FOLDER, folder.resolve("journal").toString())
        : config;
  }

  private static void publish(TestBroker broker, String topic) throws Exception {
    try (TestPublisher publisher = new TestPublisher(broker.provider(), broker.url())) {
      for (String number : NUMBERS) {
        publisher.text(topic, number);
      }
    }
  }

  private static List<JsonNode> messages(RawWebSocket client, int count) {
    List<JsonNode> messages = new ArrayList<>();
    while (messages.size() < count) {
      messages.add(client.await("message"));
    }
    return messages;
  }

  private static void assertComplete(List<JsonNode> messages, String topic) {
    assertThat(messages)
        .filteredOn(message -> message.get("topic").asText().equals(topic))
        .extracting(message -> message.get("payload").asText())
        .as(topic)
        .containsExactlyElementsOf(NUMBERS);
  }

  private static void assertDifferentIds(List<JsonNode> messages) {
    assertThat(messages).extracting(message -> message.get("id").asText()).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @CsvSource({"artemis, false", "artemis, true", "classic, false", "classic, true"})
  void shouldDeliverTheCopiesInEachTopic(String provider, boolean durable) throws Exception {
    assertDelivered(forwarding(provider, "orders.all", "orders.eu"), durable, "orders.all");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldDeliverAMessageOfACompositeDestination(boolean durable) throws Exception {
    assertDelivered(TestBroker.start("classic"), durable, "orders.all,orders.eu");
  }

  // With such a URL, Classic's client looks for messages that it has received before.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldDeliverTheCopiesOverAFailoverUrl(boolean durable) throws Exception {
    TestBroker broker = forwarding("classic", "orders.all", "orders.eu");
    String url = "failover:(" + broker.url() + ")";
    assertDelivered(broker, config(broker, durable).with(BrokerSettings.URL, url), "orders.all");
  }

  private void assertDelivered(TestBroker started, boolean durable, String destination)
      throws Exception {
    assertDelivered(started, config(started, durable), destination);
  }

  private static void assertDelivered(TestBroker started, Config config, String destination)
      throws Exception {
    try (TestBroker broker = started;
        TestNode node = TestNode.start(config);
        RawWebSocket pattern = node.json();
        RawWebSocket copies = node.json()) {
      pattern.subscribe(1, "orders.>");
      copies.subscribe(1, "orders.eu");
      node.awaitReady();
      publish(broker, destination);
      List<JsonNode> all = messages(pattern, 2 * MESSAGES);
      assertComplete(all, "orders.all");
      assertComplete(all, "orders.eu");
      assertDifferentIds(all);
      assertComplete(messages(copies, MESSAGES), "orders.eu");
    }
  }

  @Tag("full")
  @Test
  void shouldDeliverTwoCopiesInOneTopicUnderDifferentIds() throws Exception {
    try (TestBroker broker = forwarding("artemis", "orders.all", "orders.eu", "orders.eu");
        TestNode node = TestNode.start(config(broker, true));
        RawWebSocket pattern = node.json();
        RawWebSocket copies = node.json()) {
      pattern.subscribe(1, "orders.>");
      copies.subscribe(1, "orders.eu");
      node.awaitReady();
      publish(broker, "orders.all");
      List<JsonNode> all = messages(pattern, 3 * MESSAGES);
      assertComplete(all, "orders.all");
      assertDifferentIds(all);
      List<JsonNode> both = messages(copies, 2 * MESSAGES);
      assertDifferentIds(both);
      assertThat(both.stream().filter(each -> each.get("payload").asText().equals("7"))).hasSize(2);
      assertThat(node.metric("sluice_messages_unidentified_total")).isEqualTo(MESSAGES);
    }
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"orders.eu", "orders.>"})
  void shouldNotLoseTheSecondCopyWithoutAGap(String topic) throws Exception {
    try (TestBroker broker = forwarding("artemis", "orders.all", "orders.eu", "orders.eu");
        TestNode node = TestNode.start(config(broker, false));
        RawWebSocket client = node.json()) {
      client.subscribe(1, topic);
      node.awaitReady();
      publish(broker, "orders.all");
      publish(broker, "orders.end");
      try (TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
        publisher.text("orders.eu", "end");
      }
      Set<String> received = new HashSet<>();
      int copies = 0;
      int gaps = 0;
      String payload = "";
      while (!payload.equals("end")) {
        JsonNode frame = client.readJson();
        gaps += frame.get("type").asText().equals("gap") ? 1 : 0;
        if (frame.get("type").asText().equals("message")) {
          payload = frame.get("payload").asText();
          assertThat(received.add(frame.get("id").asText())).as("new id").isTrue();
          copies += frame.get("topic").asText().equals("orders.eu") ? 1 : 0;
        }
      }
      assertThat(copies - 1 + gaps).as("copies and gaps").isEqualTo(2 * MESSAGES);
    }
  }
}
