package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.TestScope;
import io.sluice.testkit.BrokerProcess;
import io.sluice.testkit.NodeProcess;
import io.sluice.testkit.RawWebSocket;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Messages of a queue that together exceed the heap of a node, at a broker of its own process. */
final class LargeQueueMessagesIT {
  private static final String HEAP = "-Xmx112m";
  private static final int LARGE = 40 << 20;
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  @TempDir private Path folder;

  static Stream<String> providers() {
    return TestScope.cases(2, "classic", "artemis", "factory-classic", "factory-artemis");
  }

  @Tag("full")
  @ParameterizedTest
  @MethodSource("providers")
  void shouldMoveLargeMessagesAndDeliverTheNext(String provider) throws Exception {
    String kind = provider.substring(provider.indexOf('-') + 1);
    try (BrokerProcess broker = BrokerProcess.start(kind, folder.resolve("data"));
        NodeProcess node = start(provider, broker.url());
        RawWebSocket client =
            RawWebSocket.to(node.host(), node.port(), "/ws").timeout(TIMEOUT).open()) {
      send(factory(kind, broker.url()));

      client.text("{\"type\":\"consume\",\"ref\":1,\"queue\":\"work\",\"credit\":10}");

      client.await("consuming");
      assertThat(client.await("delivery").get("payload").asText()).isEqualTo("small");
      client.text("{\"type\":\"ack\",\"ref\":2,\"subscription\":1,\"tag\":1,\"upTo\":true}");
      assertThat(node.metric("sluice_queue_undeliverable_total{cause=\"too-large\"}"))
          .as("refused; the move of a large message may fail once for lack of memory")
          .isGreaterThanOrEqualTo(2);
    }
  }

  private NodeProcess start(String provider, String url) {
    String broker =
        switch (provider) {
          case "factory-classic" ->
              plugged("org.apache.activemq.ActiveMQConnectionFactory", "brokerURL", url);
          case "factory-artemis" ->
              plugged(
                  "org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory",
                  "brokerURL",
                  url);
          default -> "broker.provider: " + provider + "\nbroker.url: \"" + url + "\"\n";
        };
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return NodeProcess.start(
        folder,
        broker + "queues.consume: [\">\"]\n",
        List.of(
            java,
            HEAP,
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            "io.sluice.gateway.cli.Sluice"));
  }

  private static String plugged(String factory, String property, String url) {
    return """
        broker.provider: factory
        broker.connection-factory: %s
        broker.properties: {%s: "%s"}
        """
        .formatted(factory, property, url);
  }

  private static ConnectionFactory factory(String kind, String url) {
    return kind.equals("classic")
        ? new org.apache.activemq.ActiveMQConnectionFactory(url)
        : new org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory(url);
  }

  private static void send(ConnectionFactory factory) throws Exception {
    try (Connection connection = factory.createConnection();
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
      MessageProducer producer = session.createProducer(session.createQueue("work"));
      for (int i = 0; i < 2; i++) {
        BytesMessage large = session.createBytesMessage();
        large.writeBytes(new byte[LARGE]);
        producer.send(large);
      }
      producer.send(session.createTextMessage("small"));
    }
  }
}
