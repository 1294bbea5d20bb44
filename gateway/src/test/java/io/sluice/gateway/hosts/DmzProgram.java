package io.sluice.gateway.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.DocumentedBlock;
import io.sluice.testkit.BrokerJvm;
import io.sluice.testkit.NodeProcess;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestAuthority;
import io.sluice.testkit.TestPublisher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Program that runs the DMZ of docs/operations/tiers.md as root of its namespaces, with the
 * configurations of that page: {@code FOLDER}. Exits with 1 if an expectation is violated.
 */
final class DmzProgram {
  private static final String PAGE = "operations/tiers.md";
  private static final String TOPIC = "stocks.acme";
  private static final int BROKER_PORT = 61616;
  private static final NodeProcess.Ports PORTS = new NodeProcess.Ports(8080, 9090);

  private final Perimeter perimeter = new Perimeter();
  private final Path folder;
  private final TestAuthority authority;

  private DmzProgram(Path folder) {
    this.folder = folder;
    this.authority = TestAuthority.create(folder, "nodes-ca");
  }

  /** Returns the command that runs this program in new namespaces, with files in a folder. */
  static List<String> command(Path folder) {
    String keytool = "--add-exports=java.base/sun.security.tools.keytool=ALL-UNNAMED";
    List<String> options =
        List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", keytool);
    return Isolation.java(options, DmzProgram.class, List.of(folder.toString()));
  }

  public static void main(String[] arguments) {
    int exitCode = 0;
    try {
      new DmzProgram(Path.of(arguments[0])).run();
    } catch (Exception | AssertionError e) {
      e.printStackTrace();
      exitCode = 1;
    }
    System.exit(exitCode);
  }

  private void run() throws Exception {
    String listen = perimeter.broker().back();
    BrokerJvm broker =
        BrokerJvm.artemis(
            perimeter.broker().launcher(), "--host", listen, "--port", "" + BROKER_PORT);
    String url = "tcp://" + listen + ":" + BROKER_PORT;
    // The outer node is ready once the inner one has connected.
    CompletableFuture<NodeProcess> starting =
        CompletableFuture.supplyAsync(
            () -> start(perimeter.dmz(), perimeter.dmz().front(), "outer", ""));
    try (NodeProcess inner =
            start(perimeter.inner(), perimeter.inner().back(), "inner", "broker.url: " + url);
        NodeProcess outer = starting.join();
        TestPublisher publisher = new TestPublisher("artemis", url)) {
      requireOnlyOutwardConnections(inner);
      try (RawWebSocket client = client(outer);
          RawWebSocket insider = client(inner)) {
        receive(client, publisher);
        publish(client, insider);
        staleAndLiveAgain(client, publisher);
      }
    } finally {
      broker.kill();
    }
  }

  private static RawWebSocket client(NodeProcess node) {
    return RawWebSocket.to(node.host(), node.port(), "/ws").open();
  }

  private NodeProcess start(Host host, String address, String name, String more) {
    try {
      certify(name);
      String settings =
          DocumentedBlock.of(PAGE, name)
              .text()
              .replace("dmz.example.com", perimeter.dmzAddress())
              .replace("/etc/sluice", folder.toString());
      String common =
          """
          node.name: %s
          broker.canary.timeout: 1s
          admin.metrics-open: true
          %s
          """
              .formatted(name, more);
      return NodeProcess.start(host.launcher(), address, PORTS, folder, common + settings);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Writes the files of the page's configuration. */
  private synchronized void certify(String name) throws IOException {
    TestAuthority.Issued issued =
        authority.issue(name, "CN=" + name, "SAN=ip:" + perimeter.dmzAddress());
    Files.copy(issued.certificate(), folder.resolve(name + ".pem"));
    Files.copy(issued.key(), folder.resolve(name + "-key.pem"));
    Path trusted = folder.resolve("nodes-ca.pem");
    if (!Files.exists(trusted)) {
      Files.copy(authority.certificate(), trusted);
    }
  }

  private void requireOnlyOutwardConnections(NodeProcess inner) {
    Host dmz = perimeter.dmz();
    String broker = perimeter.broker().back();
    assertThat(Perimeter.canConnect(perimeter.inner(), broker, BROKER_PORT))
        .as("the inner host reaches the broker")
        .isTrue();
    assertThat(Perimeter.canConnect(perimeter.inner(), perimeter.dmzAddress(), Perimeter.LINK_PORT))
        .as("the inner host reaches the port for links in the DMZ")
        .isTrue();
    assertThat(Perimeter.canConnect(dmz, broker, BROKER_PORT))
        .as("the DMZ reaches the broker")
        .isFalse();
    for (int port : List.of(inner.port(), inner.adminPort())) {
      assertThat(Perimeter.canConnect(dmz, inner.host(), port))
          .as("the DMZ reaches port %d of the inner node", port)
          .isFalse();
    }
  }

  private static void receive(RawWebSocket client, TestPublisher publisher) throws Exception {
    client.subscribe(1, TOPIC);
    publisher.text(TOPIC, "1");
    assertThat(client.payloads(1)).containsExactly("1");
  }

  /** A client of the outer node publishes as {@code links.publish} of the inner one permits. */
  private static void publish(RawWebSocket client, RawWebSocket insider) {
    insider.subscribe(1, "orders.new");
    client.publish(2, "orders.new", "buy");
    assertThat(insider.payloads(1)).containsExactly("buy");
    client.text(
        """
        {"type":"publish","ref":3,"topic":"stocks.acme","payload":"forged"}""");
    assertThat(client.await("error").get("code").asText()).isEqualTo("forbidden");
  }

  /** Without an inner node, the client is stale. Afterwards it receives what it has missed. */
  private void staleAndLiveAgain(RawWebSocket client, TestPublisher publisher) throws Exception {
    perimeter.cut();
    client.await("stale");
    publisher.text(TOPIC, "2");
    publisher.text(TOPIC, "3");
    perimeter.restore();
    List<String> frames = new ArrayList<>();
    while (!frames.contains("message 3")) {
      JsonNode frame = client.readJson();
      frames.add((frame.get("type").asText() + " " + frame.path("payload").asText()).strip());
    }
    frames.removeAll(List.of("live", "caught-up"));
    assertThat(frames).containsExactly("message 2", "message 3");
  }
}
