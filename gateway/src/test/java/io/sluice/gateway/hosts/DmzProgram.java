package io.sluice.gateway.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.testkit.BrokerJvm;
import io.sluice.testkit.NodeProcess;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestPublisher;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Program that runs the DMZ of docs/operations/tiers.md as root of its namespaces, with the
 * configurations and firewall rules of that page: {@code FOLDER}. The inner nodes are leaves. Exits
 * with 1 if an expectation is violated.
 */
final class DmzProgram {
  private static final String TOPIC = "stocks.acme";
  private static final int BROKER_PORT = 61616;
  private static final NodeProcess.Ports PORTS = new NodeProcess.Ports(8080, 9090);

  private final Perimeter perimeter = new Perimeter();
  private final TierFiles files;

  private DmzProgram(Path folder) {
    files = new TierFiles(folder, List.of(perimeter.dmzAddress(), perimeter.root().back()));
    List.of("root", "inner", "outer").forEach(files::certify);
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
    perimeter.protect(files.block("firewall"), files.folder());
    String listen = perimeter.broker().back();
    BrokerJvm broker =
        BrokerJvm.artemis(
            perimeter.broker().launcher(), "--host", listen, "--port", "" + BROKER_PORT);
    String url = "tcp://" + listen + ":" + BROKER_PORT;
    // The outer node is ready once the inner one has connected.
    CompletableFuture<NodeProcess> starting =
        CompletableFuture.supplyAsync(
            () -> start(perimeter.dmz(), perimeter.dmz().front(), files.block("outer")));
    try (NodeProcess root = start(perimeter.root(), root(url));
        NodeProcess inner = start(perimeter.inner(), inner());
        NodeProcess outer = starting.join();
        TestPublisher publisher = new TestPublisher("artemis", url)) {
      root.awaitReady();
      requireOnlyOutwardConnections(inner);
      try (RawWebSocket client = outer.request().open()) {
        receive(client, publisher);
        publish(client, root);
        staleAndLiveAgain(client, publisher);
      }
      try (NodeProcess standby = start(perimeter.standby(), inner());
          RawWebSocket client = outer.request().open()) {
        standby.awaitReady();
        continueOverTheOther(client, publisher, inner);
      }
    } finally {
      broker.kill();
    }
  }

  /** Returns the page's first configuration: a root with a broker, here of the inner nodes. */
  private String root(String brokerUrl) {
    return files
        .block("root")
        .replace("tcp://broker.example.com:61616", brokerUrl)
        .replace("leaf-1, leaf-2", "inner");
  }

  /** Returns the configuration of an inner node that is a leaf of the root. */
  private String inner() {
    return files
            .block("inner")
            .replace("dmz.example.com", perimeter.dmzAddress())
            .replace("peers: [outer]", "peers: [outer, root]")
        + "nodes.roots: [wss://%s:%d]".formatted(perimeter.root().back(), Perimeter.LINK_PORT);
  }

  private NodeProcess start(Host host, String settings) {
    return start(host, host.back(), settings);
  }

  private NodeProcess start(Host host, String address, String settings) {
    String common =
        """
        node.name: %s
        broker.canary.timeout: 1s
        broker.linger: 1m
        admin.metrics-open: true
        """
            .formatted(host.name());
    return NodeProcess.start(host.launcher(), address, PORTS, files.folder(), common + settings);
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
  private static void publish(RawWebSocket client, NodeProcess root) {
    try (RawWebSocket insider = root.request().open()) {
      insider.subscribe(1, "orders.new");
      client.publish(2, "orders.new", "buy");
      assertThat(insider.payloads(1)).containsExactly("buy");
    }
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
    assertThat(framesUpTo("message 3", client)).containsExactly("message 2", "message 3");
  }

  private static List<String> framesUpTo(String last, RawWebSocket client) {
    List<String> frames = new ArrayList<>();
    while (!frames.contains(last)) {
      JsonNode frame = client.readJson();
      frames.add((frame.get("type").asText() + " " + frame.path("payload").asText()).strip());
    }
    frames.removeAll(List.of("stale", "live", "caught-up"));
    return frames;
  }

  /** Two inner nodes of one root replace each other without a gap. */
  private void continueOverTheOther(RawWebSocket client, TestPublisher publisher, NodeProcess inner)
      throws Exception {
    client.subscribe(1, TOPIC);
    publisher.text(TOPIC, "4");
    assertThat(framesUpTo("message 4", client)).containsExactly("message 4");
    inner.kill();
    publisher.text(TOPIC, "5");
    assertThat(framesUpTo("message 5", client)).containsExactly("message 5");
    inner.restart();
    Perimeter.cut(perimeter.standby());
    publisher.text(TOPIC, "6");
    assertThat(framesUpTo("message 6", client)).containsExactly("message 6");
  }
}
