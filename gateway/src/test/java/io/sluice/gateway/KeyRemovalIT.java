package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.Message;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** Messages of real brokers that remove keys from snapshots. */
final class KeyRemovalIT {
  @TempDir private Path folder;

  private Config config(TestBroker broker) {
    return TestNode.config(broker.provider(), broker.url())
        .with(HistorySettings.KEY_PROPERTIES, List.of(">=orderId"))
        .with(HistorySettings.REMOVAL_PROPERTY, "deleted")
        .with(BrokerSettings.FORWARD_PROPERTIES, List.of("orderId"))
        .with(BrokerSettings.CLIENT_ID, "removal-it")
        .with(BrokerSettings.DURABLE, List.of("durable.>"))
        .with(HistorySettings.JOURNAL_FOLDER, folder.toString());
  }

  private static void send(TestPublisher publisher, String topic, String order, Object deleted)
      throws Exception {
    Message message =
        deleted == null
            ? publisher.session().createTextMessage(order)
            : publisher.session().createObjectMessage("not read");
    message.setStringProperty("orderId", order);
    if (deleted != null) {
      message.setObjectProperty("deleted", deleted);
    }
    publisher.send(topic, message);
  }

  private static List<String> read(RawWebSocket client, int count) {
    List<String> orders = new ArrayList<>();
    while (orders.size() < count) {
      JsonNode message = client.await("message");
      boolean removed = message.path("removed").asBoolean();
      assertThat(message.get("payload").asText().isEmpty()).isEqualTo(removed);
      orders.add((removed ? "-" : "+") + message.at("/properties/orderId").asText());
    }
    return orders;
  }

  private static List<String> snapshot(TestNode node, String topic) {
    try (RawWebSocket client = node.json()) {
      client.text(
          "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"" + topic + "\",\"from\":\"snapshot\"}");
      int replay = client.await("subscribed").path("replay").asInt();
      List<String> orders = new ArrayList<>();
      for (int frame = 0; frame < replay; frame++) {
        JsonNode next = client.readJson();
        if (!next.get("type").asText().equals("gap")) { // a loss after the value
          String sign = next.path("removed").asBoolean() ? "-" : "+";
          orders.add(sign + next.at("/properties/orderId").asText());
        }
      }
      return orders;
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldRemoveKeysFromSnapshots(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestPublisher publisher = new TestPublisher(provider, broker.url()).persistent()) {
      try (TestNode node = TestNode.start(config(broker));
          RawWebSocket client = node.json();
          RawWebSocket durable = node.json();
          RawWebSocket binary = node.request().subprotocols(Encoding.BINARY_SUBPROTOCOL).open()) {
        node.awaitReady();
        client.subscribe(1, "orders");
        durable.subscribe(1, "durable.orders");
        binary.subscribe(1, "orders");
        for (String topic : List.of("orders", "durable.orders")) {
          send(publisher, topic, "a", null);
          send(publisher, topic, "b", null);
          send(publisher, topic, "a", true);
          send(publisher, topic, "b", false);
          send(publisher, topic, "c", null);
          send(publisher, topic, "c", "true");
        }
        assertThat(read(client, 3)).containsExactly("+a", "+b", "-a");
        assertThat(client.await("gap").get("reason").asText())
            .as("an object message that is no removal")
            .isEqualTo("unsupported");
        assertThat(read(client, 2)).containsExactly("+c", "-c");
        assertThat(snapshot(node, "orders")).containsExactly("+b");
        binary.readBinary();
        binary.readBinary();
        byte[] removal = binary.readBinary();
        assertThat(removal[0]).as("a removal with properties").isEqualTo((byte) 0x71);
        read(durable, 3);
        durable.await("gap");
        read(durable, 2);
      }
      try (TestNode node = TestNode.start(config(broker))) {
        node.awaitReady();
        assertThat(snapshot(node, "durable.orders")).as("after a restart").containsExactly("+b");
        try (RawWebSocket client = node.json()) {
          client.subscribe(1, "durable.orders");
          send(publisher, "durable.orders", "a", null);
          assertThat(read(client, 1)).containsExactly("+a");
        }
        assertThat(snapshot(node, "durable.orders")).containsExactlyInAnyOrder("+b", "+a");
      }
    }
  }
}
