package io.sluice.gateway;

import static io.sluice.gateway.ClientPositions.framesUpTo;
import static io.sluice.gateway.ClientPositions.position;
import static io.sluice.gateway.ClientPositions.resumed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.Switchboard;
import io.sluice.testkit.TestAuthority;
import io.sluice.testkit.TestPublisher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Leaves whose source is another node. */
@Timeout(300)
final class LinksIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LONG = Duration.ofMinutes(2);

  private static ArtemisProcess broker;
  private static TestPublisher publisher;
  private TestNode root;

  /** Network between the root and the first leaf, and the second one. */
  private Switchboard firstLink;

  private Switchboard secondLink;
  private TestNode first;
  private TestNode second;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = ArtemisProcess.start();
    publisher = new TestPublisher("artemis", broker.url());
  }

  @AfterAll
  static void stopBroker() throws Exception {
    publisher.close();
    broker.close();
  }

  @BeforeEach
  void start() {
    root = TestNode.start(root(0));
    root.awaitReady();
    firstLink = network(root);
    secondLink = network(root);
    first = TestNode.start(leaf(firstLink));
    second = TestNode.start(leaf(secondLink));
    first.awaitReady();
    second.awaitReady();
  }

  @AfterEach
  void stop() {
    List.of(first, second, root).forEach(TestNode::close);
    firstLink.close();
    secondLink.close();
  }

  private static Switchboard network(TestNode root) {
    Switchboard network = new Switchboard();
    network.add("127.0.0.1", root.gateway().linkPort());
    return network;
  }

  private static Config root(int port) {
    return TestNode.config("artemis", broker.url())
        .with(LinkSettings.PORT, port)
        .with(BrokerSettings.LINGER, Duration.ofSeconds(30))
        .with(LinkSettings.SUBSCRIBE, List.of(">"))
        .with(LinkSettings.PUBLISH, List.of(">"));
  }

  private static Config leaf(Switchboard network) {
    return TestNode.config("artemis", "")
        .with(LinkSettings.ROOTS, List.of("ws://" + network.address()));
  }

  @Test
  void shouldResumeAtEachLeafExactly() throws Exception {
    try (RawWebSocket client = first.json();
        RawWebSocket other = second.json()) {
      JsonNode subscribed = client.subscribe(1, "exact");
      other.subscribe(1, "exact");
      publisher.text("exact", "1");
      JsonNode message = client.await("message");
      publisher.text("exact", "2");
      publisher.text("exact", "3");
      assertThat(other.payloads(3)).containsExactly("1", "2", "3");
      try (RawWebSocket moved = resumed(second, "exact", position(subscribed, message, null))) {
        JsonNode answer = moved.await("subscribed");
        assertThat(answer.get("recovered").asBoolean()).isTrue();
        assertThat(answer.get("replay").asInt()).isEqualTo(2);
        publisher.text("exact", "4");
        assertThat(moved.payloads(3)).containsExactly("2", "3", "4");
      }
    }
  }

  @Test
  void shouldHaveTheLogOfTheRootWithTheFirstSubscription() throws Exception {
    try (RawWebSocket client = first.json()) {
      JsonNode subscribed = client.subscribe(1, "warm.>");
      publisher.text("warm.a", "1");
      publisher.text("warm.b", "2");
      JsonNode message = client.await("message");
      client.await("message");
      try (RawWebSocket moved = resumed(second, "warm.>", position(subscribed, message, null))) {
        assertThat(moved.await("subscribed").get("recovered").asBoolean()).isTrue();
        assertThat(moved.payloads(1)).containsExactly("2");
      }
      try (RawWebSocket fresh = resumed(second, "warm.>", JSON.valueToTree("snapshot"))) {
        assertThat(fresh.payloads(2)).containsExactly("1", "2");
      }
    }
  }

  @Test
  void shouldContinueWithoutAGapAfterTheLossOfALink() throws Exception {
    try (RawWebSocket client = first.json()) {
      client.subscribe(1, "lost");
      publisher.text("lost", "1");
      assertThat(client.payloads(1)).containsExactly("1");
      firstLink.cut();
      client.await("stale");
      publisher.text("lost", "2");
      publisher.text("lost", "3");
      assertThat(framesUpTo("message 3", client)).containsExactly("message 2", "message 3");
    }
  }

  @Test
  void shouldReportAGapAfterTheRestartOfTheRoot() throws Exception {
    int port = root.gateway().linkPort();
    try (RawWebSocket client = first.json()) {
      client.subscribe(1, "restart");
      publisher.text("restart", "1");
      assertThat(client.payloads(1)).containsExactly("1");
      root.close();
      client.await("stale");
      root = TestNode.start(root(port));
      assertThat(client.await("gap").get("reason").asText()).isEqualTo("broker-lost");
      client.await("live");
      publisher.text("restart", "2");
      assertThat(client.payloads(1)).containsExactly("2");
    }
  }

  @Test
  void shouldPublishOverTheRoot() throws Exception {
    try (RawWebSocket client = first.json();
        RawWebSocket other = second.json()) {
      other.subscribe(1, "news");
      assertThat(client.publish(1, "news", "hello").get("type").asText()).isEqualTo("published");
      assertThat(other.payloads(1)).containsExactly("hello");
    }
  }

  @Test
  void shouldLoadTheBrokerWithEightLeavesAsWithOne() throws Exception {
    List<TestNode> leaves = new ArrayList<>();
    List<RawWebSocket> clients = new ArrayList<>();
    try {
      for (int i = 0; i < 8; i++) {
        leaves.add(TestNode.start(leaf(firstLink)));
        clients.add(leaves.get(i).json());
      }
      publishToBroker("load.one", clients.subList(0, 1));
      publishToBroker("load.eight", clients);
      for (String topic : List.of("load.one", "load.eight")) {
        assertThat(broker.consumers(topic)).as(topic).isEqualTo(1);
        assertThat(broker.messagesOut(topic)).as(topic).isEqualTo(5);
      }
    } finally {
      clients.forEach(RawWebSocket::close);
      leaves.forEach(TestNode::close);
    }
  }

  private static void publishToBroker(String topic, List<RawWebSocket> subscribers)
      throws Exception {
    subscribers.forEach(each -> each.subscribe(topic.length(), topic));
    for (int i = 1; i <= 5; i++) {
      publisher.text(topic, "" + i);
    }
    for (RawWebSocket each : subscribers) {
      assertThat(each.payloads(5)).containsExactly("1", "2", "3", "4", "5");
    }
  }

  @Test
  void shouldHaveTheLogsOfTopicsInUseBeforeItIsReady() throws Exception {
    try (RawWebSocket client = first.json()) {
      client.subscribe(1, "joined");
      publisher.text("joined", "1");
      client.await("message");
      await().atMost(LONG).until(() -> root.gateway().topicsInUse().contains("joined"));
      try (TestNode third = TestNode.start(leaf(secondLink))) {
        third.awaitReady();
        JsonNode figures = JSON.readTree(third.admin("/topics/joined").body());
        assertThat(figures.at("/interests/0/log").asInt()).isEqualTo(1);
      }
    }
  }

  @Test
  void shouldSelectAtTheRoot() throws Exception {
    try (RawWebSocket client = first.json()) {
      client.text(
          """
          {"type":"subscribe","ref":1,"topic":"selected","tagged":true,"where":"kind = 'a'"}""");
      client.await("subscribed");
      for (String kind : List.of("b", "a")) {
        var message = publisher.session().createTextMessage(kind);
        message.setStringProperty("kind", kind);
        publisher.send("selected", message);
      }
      assertThat(client.payloads(1)).containsExactly("a");
    }
  }

  @Test
  void shouldReportWhatTheLogOfTheRootNoLongerHas() throws Exception {
    try (TestNode small = TestNode.start(root(0).with(HistorySettings.MESSAGES, 4));
        Switchboard network = network(small);
        TestNode leaf = TestNode.start(leaf(network))) {
      leaf.awaitReady();
      try (RawWebSocket holder = small.json();
          RawWebSocket client = leaf.json()) {
        holder.subscribe(1, "short");
        client.subscribe(1, "short");
        publisher.text("short", "0");
        assertThat(client.payloads(1)).containsExactly("0");
        network.removeAll();
        network.cut();
        client.await("stale");
        for (int i = 1; i <= 9; i++) {
          publisher.text("short", String.valueOf(i));
        }
        assertThat(holder.payloads(10)).contains("9");
        network.add("127.0.0.1", small.gateway().linkPort());
        assertThat(client.await("gap").get("reason").asText()).isEqualTo("overload");
        publisher.text("short", "10");
        assertThat(client.payloads(3)).containsExactly("8", "9", "10");
      }
    }
  }

  /** While nothing passes, the topic has four times the messages that reach the leaf afterwards. */
  @Test
  void shouldReportGapsOnlyOfATopicWithFourTimesTheCapacityOfItsLink() throws Exception {
    int log = 64;
    Config limited = root(0).with(HistorySettings.MESSAGES, log);
    try (TestNode small = TestNode.start(limited.with(BrokerSettings.CANARY_TIMEOUT, LONG));
        Switchboard network = network(small);
        TestNode leaf = TestNode.start(leaf(network).with(BrokerSettings.CANARY_TIMEOUT, LONG));
        RawWebSocket hot = leaf.json();
        RawWebSocket quiet = leaf.json()) {
      leaf.awaitReady();
      hot.subscribe(1, "hot");
      quiet.subscribe(1, "quiet");
      String payload = "x".repeat(4_096);
      int passed = 350;
      int published = 0;
      for (int round = 1; round <= 3; round++) {
        network.pause();
        List<String> others = new ArrayList<>();
        for (int i = 0; i < 4 * passed; i++) {
          publisher.text("hot", payload);
          if (others.size() < log / 2) {
            others.add("message " + round + "." + i);
            publisher.text("quiet", round + "." + i);
          }
        }
        published += 4 * passed + others.size();
        awaitReceived(small, published);
        network.resume();
        passed = framesUpTo("gap", hot).size();
        assertThat(framesUpTo(others.get(others.size() - 1), quiet)).isEqualTo(others);
        int sentAhead = (1 << 20) / payload.length(); // credit of a topic
        assertThat(passed).as("messages that have waited").isBetween(log, log + sentAhead);
        publisher.text("hot", "end " + round);
        published++;
        framesUpTo("message end " + round, hot);
      }
    }
  }

  private static void awaitReceived(TestNode node, int messages) {
    await().atMost(LONG).until(() -> node.metric("sluice_messages_in_total") >= messages);
  }

  @Nested
  final class Certificates {
    @TempDir private Path folder;

    private Config secured(Config config, TestAuthority authority, String name, String peer)
        throws IOException {
      issue(authority, name);
      return config
          .with(ServerSettings.TLS_RELOAD, Duration.ofMillis(50))
          .with(LinkSettings.CERTIFICATE, file(name, "certificate"))
          .with(LinkSettings.KEY, file(name, "key"))
          .with(LinkSettings.TRUST, file(name, "trust"))
          .with(LinkSettings.PEERS, List.of(peer));
    }

    private String file(String name, String kind) {
      return folder.resolve(name + "." + kind).toString();
    }

    /** Replaces the files of a node. */
    private TestAuthority.Issued issue(TestAuthority authority, String name) throws IOException {
      TestAuthority.Issued own =
          authority.issue(name, "CN=" + name, "SAN=ip:127.0.0.1,dns:localhost");
      replace(own.key(), file(name, "key"));
      replace(own.certificate(), file(name, "certificate"));
      replace(authority.certificate(), file(name, "trust"));
      return own;
    }

    private static void replace(Path from, String to) throws IOException {
      Path ready = Files.copy(from, Path.of(to + ".new"));
      Files.move(ready, Path.of(to), StandardCopyOption.ATOMIC_MOVE);
    }

    @Test
    void shouldUseChangedCertificatesForNewLinks() throws Exception {
      TestAuthority before = TestAuthority.create(folder, "before");
      TestAuthority after = TestAuthority.create(folder, "after");
      try (TestNode inner = TestNode.start(secured(root(0), before, "inner", "outer"));
          Switchboard network = network(inner)) {
        Config outside =
            TestNode.config("artemis", "")
                .with(LinkSettings.ROOTS, List.of("wss://" + network.address()));
        try (TestNode outer = TestNode.start(secured(outside, before, "outer", "inner"));
            RawWebSocket client = outer.json()) {
          outer.awaitReady();
          client.subscribe(1, "rotated");
          publisher.text("rotated", "1");
          assertThat(client.payloads(1)).containsExactly("1");
          SSLContext peer = issue(after, "outer").context();
          issue(after, "inner");
          await().atMost(LONG).until(() -> presentsCertificateOf(inner, peer));
          publisher.text("rotated", "2"); // over the former link
          assertThat(framesUpTo("message 2", client)).containsExactly("message 2");
          network.cut();
          client.await("stale");
          publisher.text("rotated", "3");
          assertThat(framesUpTo("message 3", client)).containsExactly("message 3");
        }
      }
    }

    private static boolean presentsCertificateOf(TestNode node, SSLContext trusting)
        throws IOException {
      int port = node.gateway().linkPort();
      try (SSLSocket socket =
          (SSLSocket) trusting.getSocketFactory().createSocket("127.0.0.1", port)) {
        socket.startHandshake();
        return true;
      } catch (SSLHandshakeException another) {
        return false;
      }
    }

    @Test
    void shouldServeANodeThatItDials() throws Exception {
      TestAuthority authority = TestAuthority.create(folder, "nodes");
      Config outside =
          TestNode.config("artemis", "").with(LinkSettings.ACCEPT, true).with(LinkSettings.PORT, 0);
      try (TestNode outer = TestNode.start(secured(outside, authority, "outer", "inner"))) {
        String url = "wss://127.0.0.1:" + outer.gateway().linkPort();
        Config inside = root(-1).with(LinkSettings.DIAL, List.of(url));
        try (TestNode inner = TestNode.start(secured(inside, authority, "inner", "outer"));
            RawWebSocket client = outer.json()) {
          inner.awaitReady();
          outer.awaitReady();
          client.subscribe(1, "dialed");
          publisher.text("dialed", "hello");
          assertThat(client.payloads(1)).containsExactly("hello");
        }
      }
    }

    @Test
    void shouldRefuseANodeThatIsNoPeer() throws IOException {
      TestAuthority authority = TestAuthority.create(folder, "nodes");
      try (TestNode inner = TestNode.start(secured(root(0), authority, "inner", "another"))) {
        String url = "wss://127.0.0.1:" + inner.gateway().linkPort();
        Config outside = TestNode.config("artemis", "").with(LinkSettings.ROOTS, List.of(url));
        try (TestNode outer = TestNode.start(secured(outside, authority, "outer", "inner"))) {
          await()
              .atMost(LONG)
              .untilAsserted(() -> assertThat(outer.admin("/health/ready").body()).contains("403"));
        }
      }
    }
  }

  @Test
  void shouldRefuseARootThatReceivesItsMessagesFromTheLeaf() {
    int port = FreePorts.one();
    Config circle =
        TestNode.config("artemis", "")
            .with(LinkSettings.PORT, port)
            .with(LinkSettings.SUBSCRIBE, List.of(">"))
            .with(LinkSettings.ROOTS, List.of("ws://127.0.0.1:" + port));
    try (TestNode node = TestNode.start(circle)) {
      await()
          .atMost(LONG)
          .untilAsserted(
              () ->
                  assertThat(node.admin("/health/ready").body())
                      .contains("receives its messages from this node"));
    }
  }
}
