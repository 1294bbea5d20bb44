package io.sluice.gateway.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.testkit.HalfOpenLink;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Scenarios of an example client with real nodes and brokers; each client has a subclass. */
@Timeout(300)
abstract class ExampleClientScenes {
  private static final String TOPIC = "orders.7";
  private static final Duration TIMEOUT = Duration.ofSeconds(90);

  @TempDir private Path folder;

  /** Starts the client. */
  abstract ExampleClient start(String url, String topic) throws Exception;

  static String url(TestNode node) {
    return url(node.gateway().port());
  }

  private static String url(int port) {
    return "ws://127.0.0.1:" + port + "/ws";
  }

  private static void await(ExampleClient client, String what, int count) {
    Awaitility.await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () ->
                assertThat(count(client, what))
                    .as("%s in %s", what, client.entries())
                    .isGreaterThanOrEqualTo(count));
  }

  private static long count(ExampleClient client, String what) {
    return client.entries().stream().filter(entries -> entries.startsWith(what)).count();
  }

  private static void publish(TestPublisher publisher, int first, int last) throws JMSException {
    for (int number = first; number <= last; number++) {
      publisher.text(TOPIC, String.valueOf(number));
    }
  }

  /** Asserts that each message was received once and in order, without a gap. */
  static void assertReceivedAll(ExampleClient client, int last) {
    List<String> entries =
        client.entries().stream().filter(line -> !line.equals(ExampleClient.SUBSCRIBED)).toList();
    assertThat(entries)
        .isEqualTo(
            IntStream.rangeClosed(1, last).mapToObj(i -> ExampleClient.MESSAGE + i).toList());
  }

  @Test
  void shouldNeitherMissNorRepeatMessagesAfterLostConnection() throws Exception {
    cutLink("artemis");
  }

  @Tag("full")
  @Test
  void shouldNeitherMissNorRepeatMessagesAfterLostConnectionWithClassic() throws Exception {
    cutLink("classic");
  }

  private void cutLink(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        // The node stays subscribed while its only client is disconnected.
        TestNode node =
            TestNode.start(
                TestNode.config(provider, broker.url()),
                BrokerSettings.LINGER,
                Duration.ofMinutes(5));
        HalfOpenLink link = new HalfOpenLink("tcp://127.0.0.1:" + node.gateway().port());
        ExampleClient client = start(link.url().replace("tcp", "ws") + "/ws", TOPIC);
        TestPublisher publisher = new TestPublisher(provider, broker.url())) {
      await(client, ExampleClient.SUBSCRIBED, 1);
      publish(publisher, 1, 100);
      await(client, ExampleClient.MESSAGE, 20);
      link.cut();
      publish(publisher, 101, 200);
      link.mend();
      await(client, ExampleClient.SUBSCRIBED, 2);
      publish(publisher, 201, 300);
      await(client, ExampleClient.MESSAGE, 300);
      assertReceivedAll(client, 300);
    }
  }

  private Config durable(TestBroker broker) {
    return TestNode.config(broker.provider(), broker.url())
        .with(BrokerSettings.CLIENT_ID, "example-client")
        .with(BrokerSettings.DURABLE, List.of("orders.>"))
        .with(HistorySettings.JOURNAL_FOLDER, folder.resolve("journal").toString());
  }

  @Tag("full")
  @Test
  void shouldNeitherMissNorRepeatMessagesAfterNodeRestart() throws Exception {
    restartNode("artemis");
  }

  @Tag("full")
  @Test
  void shouldNeitherMissNorRepeatMessagesAfterNodeRestartWithClassic() throws Exception {
    restartNode("classic");
  }

  private void restartNode(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider, folder.resolve("broker"));
        TestPublisher publisher = new TestPublisher(provider, broker.url()).persistent()) {
      TestNode node = TestNode.start(durable(broker));
      int port = node.gateway().port();
      try (ExampleClient client = start(url(port), TOPIC)) {
        await(client, ExampleClient.SUBSCRIBED, 1);
        publish(publisher, 1, 100);
        await(client, ExampleClient.MESSAGE, 20);
        node.close();
        publish(publisher, 101, 200);
        node = TestNode.start(durable(broker), ServerSettings.PORT, port);
        await(client, ExampleClient.SUBSCRIBED, 2);
        publish(publisher, 201, 300);
        await(client, ExampleClient.MESSAGE, 300);
        assertReceivedAll(client, 300);
      } finally {
        node.close();
      }
    }
  }

  @Test
  void shouldReportGapIfNodeCannotResume() throws Exception {
    startAnotherNode("artemis");
  }

  @Tag("full")
  @Test
  void shouldReportGapIfNodeCannotResumeWithClassic() throws Exception {
    startAnotherNode("classic");
  }

  private void startAnotherNode(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestPublisher publisher = new TestPublisher(provider, broker.url())) {
      Config config = TestNode.config(provider, broker.url());
      TestNode node = TestNode.start(config);
      int port = node.gateway().port();
      try (ExampleClient client = start(url(port), TOPIC)) {
        await(client, ExampleClient.SUBSCRIBED, 1);
        publish(publisher, 1, 1);
        await(client, ExampleClient.MESSAGE, 1);
        node.close();
        publish(publisher, 2, 2);
        node = TestNode.start(config, ServerSettings.PORT, port);
        await(client, ExampleClient.SUBSCRIBED, 2);
        publish(publisher, 3, 3);
        await(client, ExampleClient.MESSAGE + 3, 1);
        assertThat(client.entries())
            .containsExactly(
                ExampleClient.SUBSCRIBED,
                ExampleClient.MESSAGE + 1,
                ExampleClient.GAP + "not-recovered",
                ExampleClient.SUBSCRIBED,
                ExampleClient.MESSAGE + 3);
      } finally {
        node.close();
      }
    }
  }
}
