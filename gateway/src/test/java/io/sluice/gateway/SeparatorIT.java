package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.JmsResponder;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.util.List;
import java.util.Map;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Names at a broker that separates levels by a slash: {@code broker.wildcards}. */
@Timeout(180)
final class SeparatorIT {
  private static Config config(TestBroker broker) {
    return TestNode.config("factory", "")
        .with(BrokerSettings.CONNECTION_FACTORY, ActiveMQConnectionFactory.class.getName())
        .with(BrokerSettings.PROPERTIES, Map.of("brokerURL", broker.url()))
        .with(BrokerSettings.WILDCARDS, Map.of("rest", "#", "separator", "/"))
        .with(TopicSettings.QUEUES_SEND, List.of(">"))
        .with(TopicSettings.QUEUES_CONSUME, List.of(">"));
  }

  private static void say(RawWebSocket client, String members) {
    client.text("{" + members.replace('\'', '"') + "}");
  }

  @Test
  void shouldMapLevelsOfTopicsAndPatterns() throws Exception {
    try (TestBroker broker = ArtemisProcess.start("--separator", "/");
        TestNode node = TestNode.start(config(broker));
        TestPublisher publisher = new TestPublisher("artemis", broker.url());
        RawWebSocket topic = node.json();
        RawWebSocket level = node.json();
        RawWebSocket rest = node.json()) {
      node.awaitReady();
      topic.subscribe(1, "stocks.eu.7");
      level.subscribe(1, "stocks.*.7");
      rest.subscribe(1, "stocks.>");

      publisher.text("stocks.eu.7", "no levels");
      publisher.text("stocks/eu/7", "mapped");
      publisher.text("stocks/v1.2/7", "a dot within a level");
      publisher.text("stocks/us/7", "end");

      JsonNode message = topic.readJson();
      assertThat(message.get("payload").asText()).isEqualTo("mapped");
      assertThat(message.get("topic").asText()).isEqualTo("stocks.eu.7");
      for (RawWebSocket pattern : List.of(level, rest)) {
        JsonNode mapped = pattern.readJson();
        assertThat(mapped.get("payload").asText()).isEqualTo("mapped");
        assertThat(mapped.get("topic").asText()).isEqualTo("stocks.eu.7");
        assertThat(pattern.readJson().get("reason").asText()).isEqualTo("unsupported");
        assertThat(pattern.readJson().get("topic").asText()).isEqualTo("stocks.us.7");
      }
      assertThat(node.metric("sluice_drops_total{cause=\"invalid-topic\"}")).isEqualTo(2);
      say(topic, "'type':'subscribe','ref':2,'topic':'stocks/eu/7'");
      assertThat(topic.await("error").get("code").asText()).isEqualTo("invalid-topic");
    }
  }

  @Test
  void shouldMapLevelsOfPublishesRequestsAndQueues() throws Exception {
    try (TestBroker broker = ArtemisProcess.start("--separator", "/");
        TestNode node = TestNode.start(config(broker));
        TestPublisher plain = new TestPublisher("artemis", broker.url());
        JmsResponder responder =
            JmsResponder.ofTopic(broker, "prices/eu", JmsResponder.text("answer"));
        RawWebSocket client = node.json()) {
      node.awaitReady();
      Session session = plain.session();
      MessageConsumer consumer = session.createConsumer(session.createTopic("stocks/#"));
      say(
          client,
          "'type':'publish','ref':1,'topic':'stocks.eu.8','payload':'x',"
              + "'replyTo':{'queue':'answers.eu'}");
      client.await("published");
      TextMessage published = (TextMessage) consumer.receive(60_000);
      assertThat(session.createTopic("stocks/eu/8")).isEqualTo(published.getJMSDestination());
      assertThat(session.createQueue("answers/eu")).isEqualTo(published.getJMSReplyTo());

      say(client, "'type':'request','ref':2,'topic':'prices.eu','payload':'?'");
      assertThat(client.await("reply").get("payload").asText()).isEqualTo("answer");
      assertThat(responder.failures()).isEmpty();

      Queue orders = session.createQueue("orders/eu");
      say(client, "'type':'publish','ref':3,'queue':'orders.eu','payload':'sent'");
      client.await("published");
      TextMessage sent = (TextMessage) session.createConsumer(orders).receive(60_000);
      assertThat(sent.getText()).isEqualTo("sent");

      say(client, "'type':'consume','ref':4,'queue':'tasks.eu','credit':1");
      client.await("consuming");
      MessageConsumer done = session.createConsumer(session.createQueue("done/eu"));
      TextMessage task = session.createTextMessage("task");
      task.setJMSReplyTo(session.createQueue("done/eu"));
      session.createProducer(session.createQueue("tasks/eu")).send(task);
      JsonNode delivery = client.await("delivery");
      assertThat(delivery.get("payload").asText()).isEqualTo("task");
      assertThat(delivery.get("replyTo").get("queue").asText()).isEqualTo("done.eu");
      say(
          client,
          "'type':'respond','ref':5,'subscription':4,'tag':%d,'payload':'done'"
              .formatted(delivery.get("tag").asLong()));
      client.await("published");
      assertThat(((TextMessage) done.receive(60_000)).getText()).isEqualTo("done");
    }
  }
}
