package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.cli.Sluice;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.NodeProcess;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestPublisher;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Leaves that receive the messages of their root by multicast. */
@Timeout(300)
final class MulticastIT {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final Duration KEY_CHANGE = Duration.ofSeconds(3);
  private static final int MESSAGES = 200;
  private static final String SENT = "sluice_link_multicast_sent_total";
  private static final String SENT_OVER_LINKS = "sluice_link_multicast_sent_over_links_total";
  private static final String RECEIVED = "sluice_link_multicast_received_total";

  private static ArtemisProcess broker;
  private static TestPublisher publisher;

  @TempDir private Path folder;

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

  private static TestNode root() {
    Config config =
        TestNode.config("artemis", broker.url())
            .with(LinkSettings.PORT, 0)
            .with(BrokerSettings.LINGER, Duration.ofSeconds(30))
            .with(LinkSettings.SUBSCRIBE, List.of(">"))
            .with(LinkSettings.DIAL, List.of("udp://239.8.8.1:" + FreePorts.one()));
    return ready(TestNode.start(config));
  }

  private static TestNode leaf(TestNode root) {
    return ready(
        TestNode.start(
            TestNode.config("artemis", "").with(LinkSettings.ROOTS, List.of(url(root)))));
  }

  private static TestNode ready(TestNode node) {
    node.awaitReady();
    return node;
  }

  private static String url(TestNode root) {
    return "ws://127.0.0.1:" + root.gateway().linkPort();
  }

  private NodeProcess process(TestNode root, int faults) {
    return NodeProcess.start(folder, "nodes.roots: ['" + url(root) + "']\n", program(faults));
  }

  /**
   * Returns the command of a node with an unreliable receiver.
   *
   * @param faults share of datagrams that it loses, duplicates and reorders, in percent each
   */
  static List<String> program(int faults) {
    List<String> program = new ArrayList<>();
    program.add(ProcessHandle.current().info().command().orElseThrow());
    program.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    program.addAll(UnreliableEndpoint.options(faults));
    program.addAll(List.of("-cp", System.getProperty("java.class.path"), Sluice.class.getName()));
    return program;
  }

  private static RawWebSocket client(NodeProcess node) {
    RawWebSocket client =
        RawWebSocket.to(node.host(), node.port(), "/ws")
            .subprotocols(Encoding.JSON_SUBPROTOCOL)
            .open();
    client.subscribe(1, "grouped");
    return client;
  }

  /** Publishes until all leaves receive messages by multicast. */
  private static void awaitGroup(
      List<RawWebSocket> clients, List<ToDoubleFunction<String>> metrics) {
    await()
        .atMost(LONG)
        .until(
            () -> {
              publisher.text("grouped", "first");
              clients.forEach(client -> assertThat(client.payloads(1)).containsExactly("first"));
              return metrics.stream().allMatch(each -> each.applyAsDouble(RECEIVED) > 0);
            });
  }

  private static List<String> publish(int from) throws Exception {
    List<String> sent = new ArrayList<>();
    for (int i = from; i < from + MESSAGES; i++) {
      sent.add("" + i);
      publisher.text("grouped", "" + i);
    }
    return sent;
  }

  @Test
  void shouldSendEachMessageOnceAndLoseNothing() throws Exception {
    try (TestNode root = root();
        TestNode near = leaf(root);
        NodeProcess lossy = process(root, 5);
        NodeProcess slow = process(root, 0);
        RawWebSocket nearClient = near.json();
        RawWebSocket lossyClient = client(lossy);
        RawWebSocket slowClient = client(slow)) {
      nearClient.subscribe(1, "grouped");
      awaitGroup(
          List.of(nearClient, lossyClient, slowClient),
          List.of(near::metric, lossy::metric, slow::metric));
      double before = root.metric(SENT);
      double overLinks = root.metric(SENT_OVER_LINKS);
      List<String> sent = publish(0);
      for (RawWebSocket each : List.of(nearClient, lossyClient, slowClient)) {
        assertThat(each.payloads(MESSAGES)).isEqualTo(sent);
      }
      assertThat(root.metric(SENT) - before).isEqualTo(MESSAGES);
      // A leaf that lacks messages for long receives them over its link.
      assertThat(root.metric(SENT_OVER_LINKS) - overLinks).isLessThan(MESSAGES);

      slow.pause();
      sent = publish(MESSAGES);
      assertThat(nearClient.payloads(MESSAGES)).isEqualTo(sent);
      assertThat(lossyClient.payloads(MESSAGES)).isEqualTo(sent);
      slow.resume();
      assertThat(slowClient.payloads(MESSAGES)).isEqualTo(sent);

      try (TestNode late = leaf(root);
          RawWebSocket lateClient = late.json()) {
        lateClient.subscribe(1, "grouped");
        List<RawWebSocket> all = List.of(nearClient, lossyClient, slowClient, lateClient);
        awaitGroup(all, List.of(late::metric));
        assertThat(late.admin("/overview").body()).contains("\"transport\":\"multicast\"");
      }
      slow.kill();
      requireNextKey(List.of(nearClient, lossyClient), near);
    }
  }

  /** Messages arrive by multicast before and after the root uses a key that the leaf lacks. */
  private static void requireNextKey(List<RawWebSocket> clients, TestNode leaf) {
    Set<Double> received = new HashSet<>();
    await()
        .atMost(LONG)
        .during(KEY_CHANGE)
        .until(
            () -> {
              publisher.text("grouped", "next");
              clients.forEach(client -> assertThat(client.payloads(1)).containsExactly("next"));
              return received.add(leaf.metric(RECEIVED));
            });
  }

  @Test
  void shouldSendOverTheLinkWhereNoMulticastArrives() throws Exception {
    try (TestNode root = root();
        TestNode near = leaf(root);
        NodeProcess deaf = process(root, 100);
        RawWebSocket nearClient = near.json();
        RawWebSocket deafClient = client(deaf)) {
      nearClient.subscribe(1, "grouped");
      await()
          .atMost(LONG)
          .untilAsserted(() -> assertThat(root.metric("sluice_link_multicast_members")).isOne());
      List<String> sent = publish(0);
      assertThat(nearClient.payloads(MESSAGES)).isEqualTo(sent);
      assertThat(deafClient.payloads(MESSAGES)).isEqualTo(sent);
      assertThat(root.metric(SENT)).isZero();
      assertThat(deaf.metric(RECEIVED)).isZero();
    }
  }
}
