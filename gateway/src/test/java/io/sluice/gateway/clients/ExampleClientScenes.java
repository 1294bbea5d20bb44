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

/** What an example client goes through with real nodes and brokers; a subclass for each client. */
@Timeout(300)
abstract class ExampleClientScenes {
  private static final String TOPIC = "orders.7";
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  @TempDir private Path folder;

  /** Starts the client. */
  abstract ExampleClient start(String url, String topic) throws Exception;

  private static String url(int port) {
    return "ws://127.0.0.1:" + port + "/ws";
  }

  private static void await(ExampleClient client, String what, int count) {
    Awaitility.await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(count(client, what))
                    .as("%s in %s", what, client.heard())
                    .isGreaterThanOrEqualTo(count));
  }

  private static long count(ExampleClient client, String what) {
    return client.heard().stream().filter(heard -> heard.startsWith(what)).count();
  }

  private static void publish(TestPublisher publisher, int first, int last) throws JMSException {
    for (int number = first; number <= last; number++) {
      publisher.text(TOPIC, String.valueOf(number));
    }
  }

  /** Each once and in order, and no word of a gap. */
  private static void assertHeardAll(ExampleClient client, int last) {
    List<String> heard =
        client.heard().stream().filter(line -> !line.equals(ExampleClient.SUBSCRIBED)).toList();
    assertThat(heard)
        .isEqualTo(
            IntStream.rangeClosed(1, last).mapToObj(i -> ExampleClient.MESSAGE + i).toList());
  }

  @Test
  void shouldMissNothingAndRepeatNothingWhenItsLinkIsCut() throws Exception {
    cutLink("artemis");
  }

  @Tag("full")
  @Test
  void shouldMissNothingAndRepeatNothingWhenItsLinkIsCutWithClassic() throws Exception {
    cutLink("classic");
  }

  private void cutLink(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        // The node listens on while its only client is away.
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
      assertHeardAll(client, 300);
    }
  }

  private Config durable(TestBroker broker) {
    return TestNode.config(broker.provider(), broker.url())
        .with(BrokerSettings.CLIENT_ID, "example-client")
        .with(BrokerSettings.DURABLE, List.of("orders.>"))
        .with(HistorySettings.JOURNAL_FOLDER, folder.resolve("journal").toString());
  }

  @Test
  void shouldMissNothingAndRepeatNothingWhenItsNodeIsRestarted() throws Exception {
    restartNode("artemis");
  }

  @Tag("full")
  @Test
  void shouldMissNothingAndRepeatNothingWhenItsNodeIsRestartedWithClassic() throws Exception {
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
        assertHeardAll(client, 300);
      } finally {
        node.close();
      }
    }
  }

  @Test
  void shouldTellOfAGapWhereANodeCannotGoOn() throws Exception {
    startAnotherNode("artemis");
  }

  @Tag("full")
  @Test
  void shouldReportAGapWhereANodeCannotContinueWithClassic() throws Exception {
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
        assertThat(client.heard())
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
