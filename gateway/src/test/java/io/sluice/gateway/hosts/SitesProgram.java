package io.sluice.gateway.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.gateway.ClientMoves;
import io.sluice.gateway.ClientPositions;
import io.sluice.gateway.JmsFlow;
import io.sluice.testkit.BrokerJvm;
import io.sluice.testkit.NodeProcess;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestPublisher;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Program that runs the two sites of docs/operations/tiers.md as root of its namespaces, with the
 * configurations of that page: {@code FOLDER}. The line between the sites is cut, then the first
 * site is lost. Exits with 1 if an expectation is violated.
 */
final class SitesProgram {
  private static final int BROKER_PORT = 61616;
  private static final int LINK_PORT = 9443;
  private static final NodeProcess.Ports PORTS = new NodeProcess.Ports(8080, 9090);
  private static final List<String> NODES =
      List.of("root-eu", "root-us", "relay", "node-eu", "node-us");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String LOST = "eu.news";
  private static final String KEPT = "us.news";
  private static final int CLIENTS = 20;

  private final SiteNetworks networks = new SiteNetworks();
  private final Host brokerEu = networks.addFirst("broker-eu", 2);
  private final Host rootEu = networks.addFirst("root-eu", 3);
  private final Host nodeEu = networks.addFirst("node-eu", 4);
  private final Host brokerUs = networks.addSecond("broker-us", 2);
  private final Host rootUs = networks.addSecond("root-us", 3);
  private final Host nodeUs = networks.addSecond("node-us", 4);
  private final Host relay = networks.addSecond("relay", 5);
  private final TierFiles files;

  private SitesProgram(Path folder) {
    files = new TierFiles(folder, List.of(rootEu.front(), rootUs.back(), relay.back()));
    NODES.forEach(files::certify);
  }

  /** Returns the command that runs this program in new namespaces, with files in a folder. */
  static List<String> command(Path folder) {
    String keytool = "--add-exports=java.base/sun.security.tools.keytool=ALL-UNNAMED";
    List<String> options =
        List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", keytool);
    return Isolation.java(options, SitesProgram.class, List.of(folder.toString()));
  }

  public static void main(String[] arguments) {
    int exitCode = 0;
    try {
      new SitesProgram(Path.of(arguments[0])).run();
    } catch (Exception | AssertionError e) {
      e.printStackTrace();
      exitCode = 1;
    }
    System.exit(exitCode);
  }

  private void run() throws Exception {
    BrokerJvm eu = broker(brokerEu, brokerEu.front());
    BrokerJvm us = broker(brokerUs, brokerUs.back());
    try (NodeProcess homeEu = start(rootEu, rootEu.front(), home("eu", brokerEu.front()));
        NodeProcess homeUs = start(rootUs, rootUs.back(), home("us", brokerUs.back()));
        NodeProcess between = start(relay, relay.back(), relay());
        NodeProcess first = start(nodeEu, nodeEu.front(), site(rootEu.front()));
        NodeProcess second = start(nodeUs, nodeUs.back(), site(relay.back()))) {
      homeUs.awaitReady();
      publishAtTheOtherSite(first, second);
      moveWhileTheLineIsCut(first, second, between);
      loseFirstSite(eu, homeEu, first, second);
    } finally {
      eu.kill();
      us.kill();
    }
  }

  private static BrokerJvm broker(Host host, String address) {
    return BrokerJvm.artemis(host.launcher(), "--host", address, "--port", "" + BROKER_PORT);
  }

  private static TestPublisher publisher(String address) throws Exception {
    return new TestPublisher("artemis", "tcp://" + address + ":" + BROKER_PORT);
  }

  private NodeProcess start(Host host, String address, String block) {
    List<String> peers = NODES.stream().filter(each -> !each.equals(host.name())).toList();
    String common =
        """
        node.name: %s
        broker.canary.timeout: 2s
        admin.ready-without-broker: never
        admin.metrics-open: true
        """
            .formatted(host.name());
    String settings =
        block
            .replace("# links: certificate", "links:\n  # certificate")
            .replace("  # certificate, key, trust, peers", files.identity(host.name(), peers))
            .replace("0.0.0.0", address);
    return NodeProcess.start(host.launcher(), address, PORTS, files.folder(), common + settings);
  }

  /** Returns the configuration of a root. */
  private String home(String site, String broker) {
    return files
        .block("home")
        .replace("broker.eu.example.com", broker)
        .replace("eu.>", site + ".>");
  }

  private String relay() {
    return files.block("relay").replace("root.eu.example.com", rootEu.front());
  }

  /** Returns the configuration of a clients' node. */
  private String site(String addressOfEu) {
    return files
        .block("site")
        .replace("root.eu.example.com", addressOfEu)
        .replace("root.us.example.com", rootUs.back());
  }

  /** Clients of each site may publish to topics of the other one. */
  private static void publishAtTheOtherSite(NodeProcess first, NodeProcess second) {
    requirePublish(first, "us.orders", second);
    requirePublish(second, "eu.orders", first);
  }

  private static void requirePublish(NodeProcess by, String topic, NodeProcess to) {
    try (RawWebSocket subscriber = to.request().open()) {
      subscriber.subscribe(1, topic);
      try (RawWebSocket publisher = by.request().open()) {
        JsonNode answer = publisher.publish(2, topic, "order");
        assertThat(answer.get("type").asText()).as(answer.toString()).isEqualTo("published");
      }
      assertThat(subscriber.payloads(1)).containsExactly("order");
    }
  }

  private void moveWhileTheLineIsCut(NodeProcess first, NodeProcess second, NodeProcess between)
      throws Exception {
    try (TestPublisher publisher = publisher(brokerEu.front())) {
      JmsFlow flow = new JmsFlow(publisher, "eu.moves", 1_500);
      ClientMoves.assertExact(
          List.of(first::request, second::request),
          "eu.moves",
          CLIENTS,
          300,
          flow,
          () -> {
            flow.awaitSent(200);
            networks.cut();
            second.awaitUnready();
            networks.restore();
            second.awaitReady();
            between.kill();
            between.restart();
            second.awaitReady();
          });
    }
  }

  /** The second site lacks the last message of the first one, whose client has it. */
  private void loseFirstSite(
      BrokerJvm eu, NodeProcess homeEu, NodeProcess first, NodeProcess second) throws Exception {
    try (RawWebSocket client = first.request().open();
        RawWebSocket witness = second.request().open();
        RawWebSocket other = second.request().open();
        TestPublisher publisherUs = publisher(brokerUs.back())) {
      JsonNode subscribed = client.subscribe(1, LOST);
      witness.subscribe(1, LOST);
      other.subscribe(1, KEPT);
      JsonNode message;
      JsonNode latest = null;
      try (TestPublisher publisher = publisher(brokerEu.front())) {
        publisher.text(LOST, "1");
        message = client.await("message");
        publisher.text(LOST, "2");
        publisher.text(LOST, "3");
        assertThat(witness.payloads(3)).containsExactly("1", "2", "3");
        networks.cut();
        witness.await("stale");
        publisher.text(LOST, "4");
        for (String text = ""; !text.equals("4"); text = latest.get("payload").asText()) {
          latest = client.await("message");
        }
      }
      Stream.of(first, homeEu).forEach(NodeProcess::kill);
      eu.kill();
      try (RawWebSocket moved = resumed(second, subscribed, message);
          RawWebSocket ahead = resumed(second, subscribed, latest)) {
        assertThat(moved.await("subscribed").get("recovered").asBoolean()).isTrue();
        assertThat(moved.payloads(2)).containsExactly("2", "3");
        publisherUs.text(KEPT, "of this site");
        assertThat(other.payloads(1)).containsExactly("of this site");
        networks.restore();
        returnToService(homeEu, second, List.of(witness, moved), ahead);
      }
    }
  }

  /**
   * @param ahead client with a position that the second site does not have
   */
  private void returnToService(
      NodeProcess homeEu, NodeProcess second, List<RawWebSocket> clients, RawWebSocket ahead)
      throws Exception {
    BrokerJvm again = broker(brokerEu, brokerEu.front());
    try (TestPublisher publisher = publisher(brokerEu.front())) {
      homeEu.restart();
      second.awaitReady();
      for (RawWebSocket each : clients) {
        assertThat(each.await("gap").get("reason").asText()).isEqualTo("broker-lost");
        each.await("live");
      }
      assertThat(ahead.await("subscribed").get("recovered").asBoolean()).isFalse();
      publisher.text(LOST, "5");
      for (RawWebSocket each : List.of(clients.get(0), clients.get(1), ahead)) {
        assertThat(each.payloads(1)).containsExactly("5");
      }
    } finally {
      again.kill();
    }
  }

  private static RawWebSocket resumed(NodeProcess node, JsonNode subscribed, JsonNode message) {
    RawWebSocket client = node.request().open();
    ObjectNode frame = JSON.createObjectNode();
    frame.put("type", "subscribe").put("ref", 1).put("topic", LOST);
    frame.set("from", ClientPositions.position(subscribed, message, null));
    client.text(frame.toString());
    return client;
  }
}
