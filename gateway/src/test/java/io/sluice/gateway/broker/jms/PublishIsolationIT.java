package io.sluice.gateway.broker.jms;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.jms.PublishScene.Answers;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.publish.PublishHeaders;
import io.sluice.testkit.ArtemisProcess;
import jakarta.jms.ConnectionFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A full destination, whose senders the broker blocks, delays no publishes to others. */
@Timeout(180)
final class PublishIsolationIT {
  private static final int CLIENTS = 20;

  private ArtemisProcess server;
  private PublishScene scene;

  @BeforeEach
  void open() throws Exception {
    server = ArtemisProcess.start();
    server.configure("full", QueueScene.BLOCK);
    QueueScene.send(factory(), "full", "x".repeat(20_000));
    scene =
        new PublishScene(
            PublishScene.config("artemis", server.url())
                .with(BrokerSettings.PUBLISH_TIMEOUT, Duration.ofSeconds(60)));
  }

  @AfterEach
  void close() {
    scene.close();
    server.close();
  }

  private ConnectionFactory factory() {
    return new ActiveMQConnectionFactory(server.url());
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

  @Test
  void shouldPublishToOtherDestinationsWhileOneBlocks() throws Exception {
    List<Answers> first = new ArrayList<>();
    List<Answers> healthy = new ArrayList<>();
    for (int client = 0; client < CLIENTS; client++) {
      first.add(publish("full", "f" + client, client));
      healthy.add(publish("orders", "m" + client, client));
    }

    PublishScene.awaitAnswers(healthy); // long before the publishes to the full one time out
    assertThat(healthy).extracting(Answers::only).containsOnly("published");
    List<Answers> waiting = first.stream().filter(each -> !each.isAnswered()).toList();
    assertThat(waiting).as("one publish waits, the others are refused").hasSize(1);
    assertThat(publish("full", "another", 1).await()).isEqualTo("publish-failed");

    List<String> drained = QueueScene.drain(factory(), "full");

    assertThat(waiting.get(0).await()).isEqualTo("published");
    assertThat(publish("full", "last", 1).await()).isEqualTo("published");
    drained.addAll(QueueScene.drain(factory(), "full"));
    assertThat(drained).hasSize(3).endsWith("last");
  }
}
