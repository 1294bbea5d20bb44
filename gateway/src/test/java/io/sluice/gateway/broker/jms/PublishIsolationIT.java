package io.sluice.gateway.broker.jms;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.EachBroker;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.jms.PublishScene.Answers;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.ClassicBroker;
import io.sluice.testkit.TestBroker;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * A full destination, whose senders the broker blocks, delays no publishes to others. A publish is
 * answered long before its timeout, also if the whole broker is full.
 */
@Timeout(180)
@Isolated("observes the whole process")
final class PublishIsolationIT {
  private static final int CLIENTS = 20;

  /** More publishes of one client than its lane has in flight. */
  private static final int MANY = 300;

  private static final int LIMIT_BYTES = 10_000;

  private TestBroker server;
  private PublishScene scene;

  @AfterEach
  void close() {
    scene.close();
    server.close();
  }

  private void open(TestBroker broker) {
    open(broker, broker.url());
  }

  private void open(TestBroker broker, String url) {
    server = broker;
    scene =
        new PublishScene(
            PublishScene.config(server.provider(), url)
                .with(BrokerSettings.PUBLISH_TIMEOUT, Duration.ofMinutes(2)));
  }

  private static TestBroker artemis() {
    ArtemisProcess artemis = ArtemisProcess.start();
    artemis.configure("full", QueueScene.BLOCK);
    return artemis;
  }

  private ConnectionFactory factory() {
    return server.provider().equals("classic")
        ? new org.apache.activemq.ActiveMQConnectionFactory(server.url())
        : new ActiveMQConnectionFactory(server.url());
  }

  private Answers publish(String queue, String text, int client) {
    Answers answers = new Answers(client);
    Publication publication =
        new Publication(
            Destination.queue(queue),
            PayloadKind.TEXT,
            text.getBytes(UTF_8),
            Map.of(),
            PublishHeaders.DEFAULT);
    scene.publish(publication, answers);
    return answers;
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldPublishToOtherDestinationsWhileOneBlocks(String provider) throws Exception {
    open(provider.equals("artemis") ? artemis() : ClassicBroker.startLimited(LIMIT_BYTES));
    QueueScene.send(factory(), "full", "x".repeat(2 * LIMIT_BYTES));
    List<Answers> full = new ArrayList<>();
    List<Answers> healthy = new ArrayList<>();
    for (int client = 0; client < CLIENTS; client++) {
      for (int i = 0; i < MANY / CLIENTS; i++) {
        full.add(publish("full", "f" + client, client % 2));
      }
      healthy.add(publish("orders", "m" + client, client));
    }

    PublishScene.awaitAnswers(healthy); // long before the publishes to the full one time out
    assertThat(healthy).extracting(Answers::only).containsOnly("published");
    PublishScene.awaitAnswers(full);
    assertThat(full).extracting(Answers::only).containsOnly("publish-failed");
    assertThat(full)
        .extracting(Answers::explanation)
        .allMatch(why -> why.startsWith("the broker blocks senders to queue full: it is full"));
    assertThat(publish("full", "another", 1).await()).isEqualTo("publish-failed");

    List<String> drained = QueueScene.drain(factory(), "full");

    org.awaitility.Awaitility.await()
        .atMost(PublishScene.LONG)
        .until(() -> publish("full", "last", 1).await().equals("published"));
    drained.addAll(QueueScene.drain(factory(), "full"));
    assertThat(drained).endsWith("last");
  }

  /** Sends requests whose replies go to the queue that their text names. */
  private void ask(String... replyTo) throws JMSException {
    try (Connection connection = factory().createConnection();
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
      MessageProducer producer = session.createProducer(session.createQueue("asked"));
      for (String queue : replyTo) {
        Message request = session.createTextMessage(queue);
        request.setJMSReplyTo(session.createQueue(queue));
        producer.send(request);
      }
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldSendOtherRepliesWhileAReplyQueueIsFull(String provider) throws Exception {
    open(provider.equals("artemis") ? artemis() : ClassicBroker.startLimited(LIMIT_BYTES));
    QueueScene.send(factory(), "full", "x".repeat(2 * LIMIT_BYTES));
    QueueScene.send(factory(), "healthy", "first"); // a reply creates no queue
    QueueScene.Client responder = scene.consume("asked", 2 * CLIENTS);
    List<Answers> full = new ArrayList<>();
    List<Answers> healthy = new ArrayList<>();
    for (int client = 0; client < CLIENTS; client++) {
      ask("full", "healthy");
      for (int i = 0; i < 2; i++) {
        String[] request = responder.next().split("#");
        Answers answers = new Answers(client);
        Publication reply = QueueScene.text("unused", "reply");
        responder.consumer().respond(Long.parseLong(request[1]), reply, answers);
        (request[0].equals("full") ? full : healthy).add(answers);
      }
    }

    PublishScene.awaitAnswers(healthy); // long before the replies to the full one time out
    assertThat(healthy).hasSize(CLIENTS).extracting(Answers::only).containsOnly("published");
    PublishScene.awaitAnswers(full);
    assertThat(full).extracting(Answers::only).containsOnly("publish-failed");
    assertThat(full)
        .extracting(Answers::explanation)
        .allMatch(why -> why.contains("the reply destination"));
    assertThat(QueueScene.drain(factory(), "healthy")).hasSize(1 + CLIENTS);
  }

  @Tag("full")
  @Test
  void shouldRefusePublishesWhileTheDiskOfArtemisIsFull(@TempDir Path data) throws Exception {
    open(ArtemisProcess.start("--data", data.toString(), "--disk-limit", "1"));

    // The broker examines its disk periodically, and takes back no credit.
    Answers answers = publish("orders0", "m", 0);
    for (int i = 1; answers.await().equals("published"); i++) {
      answers = publish("orders" + i, "m", 0);
    }

    assertThat(answers.await()).isEqualTo("publish-failed");
    assertThat(answers.explanation()).contains("queue orders", "disk");
  }

  @Tag("full")
  @Test
  void shouldRefusePublishesWhileTheStoreOfClassicIsFull(@TempDir Path data) throws Exception {
    ClassicBroker classic = ClassicBroker.start(data);
    open(classic, classic.url() + "?jms.closeTimeout=" + Duration.ofHours(1).toMillis());
    assertThat(publish("orders", "m", 0).await()).isEqualTo("published");
    classic.fillStore(true);

    List<Answers> answers = List.of(publish("orders", "m", 0), publish("others", "m", 1));

    PublishScene.awaitAnswers(answers);
    assertThat(answers).extracting(Answers::only).containsOnly("publish-failed");
    assertThat(answers).extracting(Answers::explanation).allMatch(why -> why.contains("store"));
    org.awaitility.Awaitility.await()
        .atMost(PublishScene.LONG)
        .untilAsserted(
            () ->
                assertThat(Thread.getAllStackTraces().keySet())
                    .as("the blocked connection is closed")
                    .noneMatch(thread -> thread.getName().equals("sluice-broker-close")));
    classic.fillStore(false);
    scene.awaitPublished("chat");
  }
}
