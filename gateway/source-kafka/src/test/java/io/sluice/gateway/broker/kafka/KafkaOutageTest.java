package io.sluice.gateway.broker.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.protocol.Message;
import io.sluice.testkit.KafkaProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a server that is killed and restarted, or does not respond. */
final class KafkaOutageTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final int PARTITIONS = 12;

  @TempDir private static Path folder;

  private static KafkaProcess server;
  private static KafkaTopics topics;

  @BeforeAll
  static void startServer() throws Exception {
    server = KafkaProcess.start(folder);
    topics = new KafkaTopics(server.server());
    topics.create("flow", PARTITIONS);
  }

  @AfterAll
  static void stopServer() {
    topics.close();
    server.close();
  }

  /** Publisher on a thread; records what the server has confirmed, by partition. */
  private static final class Load {
    private final List<Future<RecordMetadata>> sent = new ArrayList<>();
    private final AtomicInteger numbers = new AtomicInteger();
    private volatile boolean stopped;
    private final Thread thread = new Thread(this::run);

    Load() {
      thread.start();
    }

    private void run() {
      while (!stopped && sent.size() < 20_000) {
        int number = numbers.getAndIncrement();
        sent.add(topics.send("flow", number % PARTITIONS, null, String.valueOf(number)));
        if (number % 20 == 0) {
          LockSupport.parkNanos(2_000_000);
        }
      }
    }

    int published() {
      return numbers.get();
    }

    /** Stops, waits for all confirmations and returns the identities of the messages. */
    List<Long> identities() throws Exception {
      stopped = true;
      thread.join();
      List<Long> identities = new ArrayList<>();
      for (Future<RecordMetadata> each : sent) {
        RecordMetadata stored = each.get();
        identities.add(StreamPlace.id(stored.partition(), stored.offset()));
      }
      return identities;
    }
  }

  @Test
  void shouldLoseAndDoubleNothingWhenTheServerIsKilled() throws Exception {
    try (SourceScene scene = SourceScene.start(server.server(), List.of("flow"), List.of())) {
      TopicEvents events = scene.open("flow").awaitActive();
      Load load = new Load();
      events.awaitMessages(500);
      server.kill();
      Awaitility.await("lost").atMost(LIMIT).until(() -> scene.events.contains("lost"));
      assertThat(scene.source.state()).startsWith("not connected");
      TopicEvents opened = scene.open("flow");
      server.restart();
      opened.awaitActive();
      int published = load.published();
      Awaitility.await().atMost(LIMIT).until(() -> load.published() > published + 500);
      List<Long> stored = load.identities();
      events.awaitMessages(stored.size());
      assertThat(events.messages())
          .extracting(message -> withoutMark(message.identity()))
          .hasSameElementsAs(stored);
      assertThat(events.messages()).hasSameSizeAs(stored);
      assertOrdered(events.messages());
      assertThat(events.all()).startsWith("stream", "active").noneMatch(this::isGap);
      assertThat(events.places()).hasSize(1);
      assertThat(scene.events).containsExactly("live", "lost", "live");
      assertThat(scene.source.state()).isEqualTo("connected");
    }
  }

  /** Returns the identity as a producer knows it, which receives no epoch. */
  private static long withoutMark(long identity) {
    return StreamPlace.id(StreamPlace.partition(identity), StreamPlace.offset(identity));
  }

  private boolean isGap(String event) {
    return event.startsWith("missed");
  }

  private static void assertOrdered(List<Message> messages) {
    Map<Integer, Integer> latest = new HashMap<>();
    for (Message message : messages) {
      int number = Integer.parseInt(new String(message.payload(), UTF_8));
      Integer before = latest.put(StreamPlace.partition(message.identity()), number);
      assertThat(before == null || before < number).isTrue();
    }
  }

  @Tag("full")
  @Test
  void shouldConnectToAServerThatStartsLater() throws Exception {
    server.kill();
    try (SourceScene scene = SourceScene.start(server.server(), List.of("flow"), List.of())) {
      TopicEvents events = scene.open("flow");
      server.restart();
      events.awaitActive();
      Awaitility.await().atMost(LIMIT).until(() -> scene.events.contains("live"));
      topics.publish("flow", null, "a");
      events.await("a");
    }
  }

  @Test
  void shouldDetectAServerThatDoesNotRespond() throws Exception {
    try (SourceScene scene =
        SourceScene.start(
            SourceScene.config(server.server(), List.of("flow"), List.of())
                .with(BrokerSettings.CANARY_TIMEOUT, Duration.ofSeconds(2)))) {
      TopicEvents events = scene.open("flow").awaitActive();
      Awaitility.await().atMost(LIMIT).until(() -> scene.events.contains("live"));
      server.pause();
      Awaitility.await().atMost(LIMIT).until(() -> scene.events.contains("lost"));
      server.resume();
      Awaitility.await().atMost(LIMIT).until(() -> scene.events.size() == 3);
      topics.publish("flow", null, "a");
      events.await("a");
      assertThat(events.all()).containsExactly("stream", "active", "a");
      assertThat(scene.events).containsExactly("live", "lost", "live");
    }
  }
}
