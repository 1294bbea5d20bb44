package io.sluice.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.KeyValue;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.PublishOptions;
import io.nats.client.api.KeyValueConfiguration;
import io.nats.client.api.StreamConfiguration;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.gateway.config.NatsSettings;
import io.sluice.testkit.NatsServer;
import io.sluice.testkit.RawWebSocket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes with a NATS server as their source. */
final class NatsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final int CLIENTS = 8;
  private static final int MANY_CLIENTS = 500;
  private static final int MESSAGES = 1_200;
  private static final List<Integer> KILLS = List.of(300, 800);

  @TempDir Path folder;
  private NatsServer server;
  private Connection client;
  private TestNode first;
  private TestNode second;

  @BeforeEach
  void start() throws Exception {
    Optional<String> program = NatsServer.provide();
    assumeThat(program).as("nats-server, see above").isPresent();
    server = NatsServer.start(program.get(), folder);
    client =
        Nats.connect(
            Options.builder()
                .server(server.url())
                .maxReconnects(-1)
                .reconnectWait(Duration.ofMillis(100))
                .build());
    first = TestNode.start(config());
    second = TestNode.start(config());
    first.awaitReady();
    second.awaitReady();
  }

  // The logs are short, so that most positions are read back from the stream.
  private Config config() {
    return TestNode.config("artemis", "")
        .with(NatsSettings.SERVERS, List.of(server.url()))
        .with(HistorySettings.MESSAGES, 20);
  }

  private Config manyClients() {
    return TestNode.unlimited(config()).with(HistorySettings.MESSAGES, 1_000);
  }

  @AfterEach
  void stop() throws Exception {
    for (TestNode node : Stream.of(first, second).filter(each -> each != null).toList()) {
      node.close();
    }
    if (server != null) {
      client.close();
      server.close();
    }
  }

  private TestNode root() {
    return TestNode.start(serving(config()).with(HistorySettings.WARM, List.of("orders.eu")));
  }

  private static Config serving(Config config) {
    return config.with(LinkSettings.PORT, 0).with(LinkSettings.SUBSCRIBE, List.of("orders.>"));
  }

  private static TestNode leaf(TestNode root) {
    return TestNode.start(
        serving(TestNode.config("artemis", ""))
            .with(HistorySettings.MESSAGES, 20)
            .with(LinkSettings.ROOTS, List.of("ws://127.0.0.1:" + root.gateway().linkPort())));
  }

  private void createStream() throws Exception {
    client
        .jetStreamManagement()
        .addStream(StreamConfiguration.builder().name("orders").subjects("orders.>").build());
  }

  private void store(String subject, String text) throws Exception {
    client.jetStream().publish(subject, text.getBytes(UTF_8));
  }

  /** Client that keeps its position and moves between nodes. Bound to one thread. */
  private static final class Hopper {
    private final String topic;
    private final List<String> received = new ArrayList<>();
    private final List<Boolean> recovered = new ArrayList<>();

    /** The first message that was not the expected one, if any. */
    private final List<String> problems = new ArrayList<>();

    /** The latest position that was sent, and the answer. */
    private JsonNode answer;

    private ObjectNode position;

    /** Position after the first message of the present subscription, except offset and ids. */
    private ObjectNode subsequent;

    Hopper(String topic) {
      this.topic = topic;
    }

    /** Receives messages at a node, at most a number and up to a text. */
    void visit(TestNode node, int messages, String last) {
      try (RawWebSocket socket = node.json()) {
        ObjectNode frame = JSON.createObjectNode();
        frame.put("type", "subscribe").put("ref", 1).put("topic", topic);
        if (position != null) {
          frame.set("from", position);
        }
        socket.text(frame.toString());
        JsonNode subscribed = socket.await("subscribed");
        onSubscribed(subscribed);
        for (int i = 0; i < messages && !received.contains(last); i++) {
          onMessage(socket.await("message"));
        }
      }
    }

    private void onSubscribed(JsonNode subscribed) {
      answer = JSON.createArrayNode().add(position).add(subscribed);
      boolean resumed = subscribed.path("recovered").asBoolean();
      if (position != null) {
        recovered.add(resumed);
      }
      ObjectNode next = JsonNodeFactory.instance.objectNode();
      next.set("epoch", subscribed.get("epoch"));
      if (subscribed.has("time")) {
        next.set("since", subscribed.get("time"));
      }
      next.set("offset", subscribed.get("offset"));
      next.set("ids", resumed ? position.get("ids") : subscribed.get("ids"));
      subsequent = next;
      if (!resumed || subscribed.path("replay").asInt() == 0) {
        position = next;
      }
    }

    private void onMessage(JsonNode message) {
      String expected = String.valueOf(received.size());
      if (problems.isEmpty() && !message.get("payload").asText().equals(expected)) {
        problems.add(message + " instead of " + expected + " after " + answer);
      }
      received.add(message.get("payload").asText());
      position = subsequent;
      position.set("offset", message.get("offset"));
      position.putArray("ids").add(message.get("id"));
    }
  }

  @Test
  void shouldResumeClientsExactlyWhileTheyMoveAndTheServerIsKilled() throws Exception {
    createStream();
    String last = "" + (MESSAGES - 1);
    List<Hopper> hoppers =
        IntStream.range(0, CLIENTS)
            .mapToObj(i -> new Hopper(i % 2 == 0 ? "orders.eu" : "orders.*"))
            .toList();
    hoppers.forEach(hopper -> hopper.visit(first, 0, last));
    List<CompletableFuture<Void>> visits =
        hoppers.stream()
            .map(
                hopper ->
                    CompletableFuture.runAsync(
                        () -> hop(hopper, last), task -> new Thread(task).start()))
            .toList();
    for (int i = 0; i < MESSAGES; i++) {
      if (KILLS.contains(i)) {
        server.kill();
        server.restart();
      }
      publishOnce("orders.eu", "" + i);
    }
    for (CompletableFuture<Void> visit : visits) {
      visit.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    }

    for (Hopper hopper : hoppers) {
      assertThat(hopper.problems).isEmpty();
      assertThat(hopper.received).hasSize(MESSAGES);
      assertThat(hopper.recovered).hasSizeGreaterThan(5).containsOnly(true);
    }
  }

  @Tag("full")
  @Test
  void shouldLoseAndDoubleNothingForManyClients() throws Exception {
    createStream();
    try (TestNode other = TestNode.start(manyClients());
        TestNode another = TestNode.start(manyClients())) {
      other.awaitReady();
      another.awaitReady();
      StoredFlow flow = StoredFlow.nats(client, "orders.eu", 2_000, 50);
      ClientMoves.assertExact(
          ClientMoves.to(other, another),
          "orders.eu",
          MANY_CLIENTS,
          4_000,
          flow,
          () -> {
            for (int sent = 400; sent <= 1_600; sent += 400) {
              flow.awaitSent(sent);
              server.kill();
              server.restart();
            }
          });
    }
  }

  private void hop(Hopper hopper, String last) {
    Random random = new Random(hopper.hashCode());
    while (!hopper.received.contains(last)) {
      TestNode node = random.nextBoolean() ? first : second;
      hopper.visit(node, random.nextInt(80), last);
    }
  }

  /** Stores a message whose confirmation may be lost. */
  private void publishOnce(String subject, String text) {
    PublishOptions options = PublishOptions.builder().messageId(text).build();
    await()
        .atMost(TIMEOUT)
        .pollInterval(Duration.ofMillis(1))
        .until(
            () -> {
              try {
                client.jetStream().publish(subject, text.getBytes(UTF_8), options);
                return true;
              } catch (IOException | JetStreamApiException | IllegalStateException e) {
                return false;
              }
            });
  }

  @Test
  void shouldResumeExactlyAtLeavesOfDifferentNodes() throws Exception {
    createStream();
    try (TestNode root = root();
        TestNode other = root();
        TestNode leaf = leaf(root);
        TestNode otherLeaf = leaf(other)) {
      List<TestNode> nodes = List.of(leaf, otherLeaf, root, other);
      nodes.forEach(TestNode::awaitReady);
      Hopper hopper = new Hopper("orders.eu");
      hopper.visit(leaf, 0, "");
      int sent = 0;
      for (TestNode node : List.of(otherLeaf, leaf, other, leaf, otherLeaf)) {
        for (int i = 0; i < 30; i++) {
          store("orders.eu", "" + sent++);
        }
        hopper.visit(node, sent - 10 - hopper.received.size(), "");
      }
      hopper.visit(leaf, sent - hopper.received.size(), "");
      assertThat(hopper.problems).isEmpty();
      assertThat(hopper.received).hasSize(sent);
      assertThat(hopper.recovered).hasSize(6).containsOnly(true);
    }
  }

  @Test
  void shouldReadBackOverLinksWhatTheStreamStillHas() throws Exception {
    createStream();
    try (TestNode root = root();
        TestNode relay = leaf(root);
        TestNode leaf = leaf(relay)) {
      List.of(root, relay, leaf).forEach(TestNode::awaitReady);
      Hopper hopper = new Hopper("orders.eu");
      hopper.visit(leaf, 0, "");
      for (int i = 0; i < 200; i++) {
        store("orders.eu", "" + i);
      }
      hopper.visit(leaf, 150, "");
      hopper.visit(relay, 0, "");
      hopper.visit(leaf, 50, "");
      assertThat(hopper.problems).isEmpty();
      assertThat(hopper.received).hasSize(200);

      for (int i = 0; i < 50; i++) {
        store("orders.eu", "lost");
      }
      client.jetStreamManagement().purgeStream("orders");
      hopper.visit(leaf, 0, "");
      assertThat(hopper.recovered).containsExactly(true, true, true, false);
    }
  }

  /** The stream is restored from a copy, and numbers other messages like those of the client. */
  @Test
  void shouldReportAtALeafThatTheStreamHasLostMessages() throws Exception {
    createStream();
    store("orders.eu", "0");
    server.kill();
    copy(folder.resolve("jetstream"), folder.resolve("saved"));
    server.restart();
    Hopper hopper = new Hopper("orders.eu");
    try (TestNode root = root();
        TestNode leaf = leaf(root)) {
      leaf.awaitReady();
      hopper.visit(leaf, 0, "");
      for (String lost : List.of("1", "2", "3")) {
        publishOnce("orders.eu", lost);
      }
      hopper.visit(leaf, 3, "");
    }
    server.kill();
    Files.move(folder.resolve("jetstream"), folder.resolve("lost"));
    Files.move(folder.resolve("saved"), folder.resolve("jetstream"));
    server.restart();
    try (TestNode root = root();
        TestNode leaf = leaf(root)) {
      leaf.awaitReady();
      for (String other : List.of("4", "5", "6", "7", "8")) {
        publishOnce("orders.eu", other);
      }
      hopper.visit(leaf, 0, "");
      assertThat(hopper.recovered).containsExactly(true, false);
    }
  }

  private void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }

  @Test
  void shouldNotRecoverMessagesThatTheStreamNoLongerHas() throws Exception {
    createStream();
    Hopper hopper = new Hopper("orders.eu");
    hopper.visit(first, 0, "");
    store("orders.eu", "a");
    hopper.visit(second, 1, "");
    awaitNoLogs();
    store("orders.eu", "b");
    hopper.visit(first, 1, "");
    awaitNoLogs();
    store("orders.eu", "c");
    client.jetStreamManagement().purgeStream("orders");
    hopper.visit(first, 0, "");
    store("orders.eu", "d");
    hopper.visit(second, 1, "");

    assertThat(hopper.recovered).containsExactly(true, true, false, true);
    assertThat(hopper.received).containsExactly("a", "b", "d");
  }

  /** Waits until no node has a log of the topic. */
  private void awaitNoLogs() {
    await()
        .atMost(TIMEOUT)
        .until(() -> client.jetStreamManagement().getConsumerNames("orders").isEmpty());
  }

  @Test
  void shouldSendTheKeysOfABucketAsSnapshot() throws Exception {
    client
        .keyValueManagement()
        .create(KeyValueConfiguration.builder().name("prices").maxHistoryPerKey(1).build());
    KeyValue prices = client.keyValue("prices");
    prices.put("a", "1");
    prices.put("b", "2");
    prices.put("a", "3");
    prices.put("c", "4");
    prices.delete("b");
    try (RawWebSocket socket = first.json()) {
      socket.text(
          "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"$KV.prices.>\",\"from\":\"snapshot\"}");
      socket.await("subscribed");
      assertThat(socket.payloads(2)).containsExactly("3", "4");
      prices.put("b", "5");
      assertThat(socket.payloads(1)).containsExactly("5");
      prices.delete("a");
      assertThat(socket.await("message").get("topic").asText()).isEqualTo("$KV.prices.a");
    }
  }

  @Test
  void shouldPublishForClients() throws Exception {
    createStream();
    try (RawWebSocket socket = first.json();
        RawWebSocket other = second.json()) {
      other.subscribe(1, "orders.eu");
      other.subscribe(2, "news");
      String publish =
          "{\"type\":\"publish\",\"ref\":3,\"topic\":\"orders.eu\",\"payload\":\"a\",\"id\":\"x\"}";
      socket.text(publish);
      socket.await("published");
      socket.text(publish);
      socket.await("published");
      socket.publish(4, "orders.eu", "b");
      assertThat(other.payloads(2)).containsExactly("a", "b");
      socket.publish(5, "news", "c");
      assertThat(other.payloads(1)).containsExactly("c");
    }
  }
}
