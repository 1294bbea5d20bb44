package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.broker.jms.PublishScene.Answers;
import io.sluice.gateway.broker.jms.PublishScene.Consumer;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.ClassicBroker;
import io.sluice.testkit.HalfOpenLink;
import io.sluice.testkit.SlowLink;
import io.sluice.testkit.TestBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Publishes in flight to real brokers: order, single failures, losses. */
@Timeout(180)
final class PublishIT {
  private static final String PUBLISHED = "published";
  private static final int MANY = 1_000;

  /** Number of refusals, each of which ends a session. */
  private static final int FAILURES = 200;

  private TestBroker server;
  private PublishScene scene;

  @AfterEach
  void close() throws Exception {
    if (scene != null) {
      scene.close();
    }
    server.close();
  }

  private Config start(String client) {
    server =
        client.equals("artemis")
            ? ArtemisProcess.start("--guarded", "guarded")
            : ClassicBroker.start();
    if (server instanceof ClassicBroker classic) {
      classic.refuse(ClassicBroker.Refusal.MESSAGES, "guarded");
    }
    return PublishScene.config(client, server.url());
  }

  private static Config through(Config config, String url) {
    return config
        .with(BrokerSettings.URL, url)
        .with(
            BrokerSettings.PROPERTIES,
            config.get(BrokerSettings.PROVIDER).equals("factory")
                ? java.util.Map.of("brokerURL", url)
                : java.util.Map.of());
  }

  private static Config oneSession(Config config) {
    return config
        .with(BrokerSettings.PUBLISH_SESSIONS, 1)
        .with(BrokerSettings.PUBLISH_IN_FLIGHT, 2 * MANY);
  }

  private Consumer consumer(String topic) throws Exception {
    return new Consumer(server.provider(), server.url(), topic);
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic", "plugged"})
  void shouldPreserveTheOrderOfEachClient(String client) throws Exception {
    int clients = 8;
    Config config = start(client);
    ExecutorService loops = Executors.newFixedThreadPool(4);
    String all = "orders." + (server.provider().equals("classic") ? ">" : "#");
    try (SlowLink link = new SlowLink(server.url()).delayMicros(500);
        Consumer consumer = consumer(all)) {
      scene = new PublishScene(through(config, link.url()));
      List<Future<List<Answers>>> publishing =
          IntStream.range(0, clients)
              .mapToObj(each -> loops.submit(() -> publishInTurn(each, MANY)))
              .toList();
      for (Future<List<Answers>> each : publishing) {
        List<Answers> answers = each.get(60, TimeUnit.SECONDS);
        PublishScene.awaitAnswers(answers);
        assertThat(answers).extracting(Answers::only).containsOnly(PUBLISHED);
      }
      await().atMost(PublishScene.LONG).until(() -> consumer.received.size() == clients * MANY);
      List<Integer> inOrder = IntStream.range(0, MANY).boxed().toList();
      for (int each = 0; each < clients; each++) {
        assertThat(consumer.numbersOf(each)).isEqualTo(inOrder);
      }
    } finally {
      loops.shutdown();
    }
  }

  private List<Answers> publishInTurn(int client, int count) {
    List<Answers> answers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      answers.add(scene.publish("orders." + i % 7, client, i));
    }
    return answers;
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic", "plugged"})
  void shouldFailOnlyOneOfManyPublishes(String client) throws Exception {
    Config config = oneSession(start(client));
    try (SlowLink link = new SlowLink(server.url()).delayMicros(20_000);
        Consumer consumer = consumer("open")) {
      scene = new PublishScene(through(config, link.url()));
      scene.awaitPublished("open");
      scene.publish("guarded", 1, 0).await(); // the client remembers the topic
      List<Answers> answers = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        answers.add(scene.publish(i == MANY / 2 ? "guarded" : "open", 1, i));
      }
      PublishScene.awaitAnswers(answers);
      assertThat(answers.remove(MANY / 2).only()).isEqualTo("forbidden");
      assertThat(answers).extracting(Answers::only).containsOnly(PUBLISHED);
      scene.awaitPublished("open");
      await().atMost(PublishScene.LONG).until(() -> consumer.numbersOf(0).size() == 2);
      assertThat(consumer.numbersOf(1))
          .isEqualTo(IntStream.range(0, MANY).filter(i -> i != MANY / 2).boxed().toList());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldPreserveTheOrderAfterManyFailures(String client) throws Exception {
    Config config =
        oneSession(start(client)).with(BrokerSettings.PUBLISH_TIMEOUT, Duration.ofMinutes(4));
    try (Consumer consumer = consumer("open")) {
      scene = new PublishScene(config);
      List<Answers> refused = new ArrayList<>();
      List<Answers> taken = new ArrayList<>();
      for (int i = 0; i < FAILURES; i++) {
        refused.add(scene.publish("guarded", 1, i));
        taken.add(scene.publish("open", 1, i));
      }
      PublishScene.awaitAnswers(taken);
      PublishScene.awaitAnswers(refused);
      assertThat(refused).extracting(Answers::only).containsOnly("forbidden");
      assertThat(taken).extracting(Answers::only).containsOnly(PUBLISHED);
      await().atMost(PublishScene.LONG).until(() -> consumer.received.size() == FAILURES);
      assertThat(consumer.numbersOf(1)).isEqualTo(IntStream.range(0, FAILURES).boxed().toList());
    }
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic", "plugged"})
  void shouldReportEachPublishOnceWhenTheConnectionIsLost(String client) throws Exception {
    Config config = oneSession(start(client));
    try (HalfOpenLink link = new HalfOpenLink(server.url())) {
      scene = new PublishScene(through(config, link.url()));
      PublishScene.awaitAnswers(publishInTurn(1, 7)); // one of each topic
      link.fallSilent();
      List<Answers> answers = publishInTurn(1, MANY);
      await().atMost(PublishScene.LONG).until(() -> scene.metric("sluice_publishes_in_flight") > 0);
      link.cut();
      PublishScene.awaitAnswers(answers);
      link.speakAgain();
      link.mend();
      scene.awaitPublished("chat");
      assertThat(answers)
          .allMatch(answer -> answer.only().matches("publish-failed|broker-unavailable"))
          .anyMatch(answer -> answer.only().equals("publish-failed"));
      assertNothingIsLeft();
    }
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic", "plugged"})
  void shouldReportEachPublishOnceWhenTheBrokerIsUnresponsive(String client) throws Exception {
    Config config =
        start(client)
            .with(BrokerSettings.PUBLISH_TIMEOUT, Duration.ofMillis(500))
            .with(BrokerSettings.CANARY_INTERVAL, Duration.ZERO);
    try (HalfOpenLink link = new HalfOpenLink(server.url())) {
      scene = new PublishScene(through(config, link.url()));
      scene.awaitPublished("chat");
      link.forgetConnections();
      List<Answers> answers = publishInTurn(1, MANY);
      PublishScene.awaitAnswers(answers);
      scene.awaitPublished("chat");
      assertThat(answers)
          .allMatch(answer -> answer.only().matches("publish-failed|broker-unavailable"))
          .anyMatch(answer -> answer.only().equals("publish-failed"));
      assertNothingIsLeft();
    }
  }

  private void assertNothingIsLeft() {
    assertThat(scene.metric("sluice_publishes_in_flight")).isZero();
    assertThat(scene.metric("sluice_publishes_waiting")).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic", "plugged"})
  void shouldReportEachPublishOnceWhenTheNodeStops(String client) throws Exception {
    Config config = start(client);
    try (HalfOpenLink link = new HalfOpenLink(server.url())) {
      scene = new PublishScene(through(config, link.url()));
      scene.awaitPublished("chat");
      link.fallSilent();
      List<Answers> answers = publishInTurn(1, MANY);
      scene.stop();
      assertThat(answers)
          .allMatch(answer -> answer.only().matches("publish-failed|broker-unavailable"));
      assertThat(scene.publish("chat", 1, 0).only()).isEqualTo("broker-unavailable");
      assertNothingIsLeft();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldRefusePublishesAboveTheQueueAndTheWindow(String client) throws Exception {
    Config config =
        oneSession(start(client))
            .with(BrokerSettings.PUBLISH_IN_FLIGHT, 10)
            .with(BrokerSettings.PUBLISH_QUEUE, 30);
    try (HalfOpenLink link = new HalfOpenLink(server.url())) {
      scene = new PublishScene(through(config, link.url()));
      scene.awaitPublished("orders.0");
      link.fallSilent();
      List<Answers> answers = new ArrayList<>();
      for (int i = 0; i < 160; i++) {
        answers.add(scene.publish("orders.0", 1, i));
      }
      await()
          .atMost(PublishScene.LONG)
          .until(() -> scene.metric("sluice_publishes_in_flight") == 10);
      assertThat(scene.metric("sluice_publishes_waiting")).isLessThanOrEqualTo(30);
      link.speakAgain();
      PublishScene.awaitAnswers(answers);
      long published = answers.stream().filter(each -> each.only().equals(PUBLISHED)).count();
      assertThat(published).isBetween(30L, 40L);
      assertThat(answers).allMatch(each -> each.only().matches("published|broker-unavailable"));
    }
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldPublishToMoreTopicsThanItCaches(String client) {
    scene = new PublishScene(oneSession(start(client)));
    List<Answers> answers = new ArrayList<>();
    for (int i = 0; i < MANY + MANY / 2; i++) {
      answers.add(scene.publish("users." + i, i, 0));
    }
    PublishScene.awaitAnswers(answers);
    assertThat(answers).extracting(Answers::only).containsOnly(PUBLISHED);
  }
}
