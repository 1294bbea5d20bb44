package io.sluice.gateway;

import static io.sluice.gateway.ClientPositions.position;
import static io.sluice.gateway.ClientPositions.resumed;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFile;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.Switchboard;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two sites, each with a broker and the root of its topics. Clients' nodes follow both roots, with
 * the configurations of docs/operations/tiers.md; those of the second site over a relay.
 */
@Timeout(300)
final class SitesIT {
  private static final String PAGE = "operations/tiers.md";

  private static TestBroker brokerEu;
  private static TestBroker brokerUs;
  private static TestPublisher eu;
  private static TestPublisher us;

  @TempDir private static Path folder;

  private final int portEu = FreePorts.one();
  private TestNode rootEu;
  private TestNode rootUs;
  private Switchboard line;
  private TestNode relay;
  private TestNode nodeEu;
  private TestNode nodeUs;

  @BeforeAll
  static void startBrokers() throws Exception {
    brokerEu = ArtemisProcess.start();
    brokerUs = ArtemisProcess.start();
    eu = new TestPublisher("artemis", brokerEu.url());
    us = new TestPublisher("artemis", brokerUs.url());
  }

  @AfterAll
  static void stopBrokers() throws Exception {
    eu.close();
    us.close();
    brokerEu.close();
    brokerUs.close();
  }

  @BeforeEach
  void start() throws IOException {
    rootEu = TestNode.start(root(brokerEu, "eu.>").with(LinkSettings.PORT, portEu));
    rootUs = TestNode.start(root(brokerUs, "us.>").with(LinkSettings.PORT, 0));
    line = new Switchboard();
    line.add("127.0.0.1", portEu);
    String relayed = "ws://" + line.address();
    relay = TestNode.start(of("relay", relayed, "").with(LinkSettings.PORT, 0));
    nodeEu = TestNode.start(of("site", url(rootEu), url(rootUs)));
    nodeUs = TestNode.start(of("site", url(relay), url(rootUs)));
    List.of(rootEu, rootUs, relay, nodeEu, nodeUs).forEach(TestNode::awaitReady);
  }

  @AfterEach
  void stop() {
    Stream.of(nodeEu, nodeUs, relay, rootEu, rootUs)
        .filter(Objects::nonNull)
        .forEach(TestNode::close);
    line.close();
  }

  private static String url(TestNode node) {
    return "ws://127.0.0.1:" + node.gateway().linkPort();
  }

  private static Config root(TestBroker broker, String topics) throws IOException {
    Config page = page(DocumentedBlock.of(PAGE, "home").withEach("[eu.>]", "['" + topics + "']"));
    return with(TestNode.config("artemis", broker.url()), page);
  }

  /** Returns a configuration of the page with other addresses. */
  private static Config of(String mark, String urlEu, String urlUs) throws IOException {
    DocumentedBlock block =
        DocumentedBlock.of(PAGE, mark).with("wss://root.eu.example.com:9443", urlEu);
    return with(
        TestNode.config("artemis", ""),
        page(urlUs.isEmpty() ? block : block.with("wss://root.us.example.com:9443", urlUs)));
  }

  private static Config page(DocumentedBlock block) throws IOException {
    Path file = Files.writeString(folder.resolve("page.yaml"), block.text());
    return ConfigFile.read(file, variable -> "").config();
  }

  private static Config with(Config config, Config page) {
    return config
        .with(LinkSettings.ROOTS, page.get(LinkSettings.ROOTS))
        .with(LinkSettings.SUBSCRIBE, page.get(LinkSettings.SUBSCRIBE))
        .with(LinkSettings.PUBLISH, page.get(LinkSettings.PUBLISH))
        .with(HistorySettings.WARM, page.get(HistorySettings.WARM));
  }

  @Test
  void shouldLoseAndDoubleNothingForClientsThatMoveBetweenSites() throws Exception {
    ClientMoves.assertExact(
        ClientMoves.to(nodeEu, nodeUs),
        "eu.moves",
        10,
        200,
        new JmsFlow(eu, "eu.moves", 200),
        () -> {
          for (int i = 0; i < 3; i++) {
            line.cut();
            relay.awaitReady();
          }
        });
  }

  @Test
  void shouldContinueExactlyAtTheOtherSiteAfterTheLossOfASite() throws Exception {
    try (RawWebSocket client = nodeEu.json();
        RawWebSocket witness = nodeUs.json();
        RawWebSocket other = nodeUs.json()) {
      JsonNode subscribed = client.subscribe(1, "eu.news");
      witness.subscribe(1, "eu.news");
      other.subscribe(1, "us.news");
      eu.text("eu.news", "1");
      JsonNode message = client.await("message");
      eu.text("eu.news", "2");
      eu.text("eu.news", "3");
      assertThat(witness.payloads(3)).containsExactly("1", "2", "3");
      nodeEu.close();
      rootEu.close();
      witness.await("stale");
      try (RawWebSocket moved = resumed(nodeUs, "eu.news", position(subscribed, message, null))) {
        assertThat(moved.await("subscribed").get("recovered").asBoolean()).isTrue();
        assertThat(moved.payloads(2)).containsExactly("2", "3");
        us.text("us.news", "of this site");
        assertThat(other.payloads(1)).containsExactly("of this site");
        eu.text("eu.news", "that the lost site has not sent");
        rootEu = TestNode.start(root(brokerEu, "eu.>").with(LinkSettings.PORT, portEu));
        assertThat(moved.await("gap").get("reason").asText()).isEqualTo("broker-lost");
        moved.await("live");
        eu.text("eu.news", "5");
        assertThat(moved.payloads(1)).containsExactly("5");
      }
    }
  }
}
