package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sluice.gateway.TestScope;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.SluiceProcess;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A node without the archives of an optional module. */
@Timeout(180)
@Order(3)
final class MissingModuleIT {
  private static final Path TARGET = Path.of("target");
  private static final String[] ANY_ADMIN_PORT = {"--admin-port", "0"};

  @TempDir private Path folder;

  /** Frames of clients that each module processes. */
  private static final Map<String, List<String>> FRAMES =
      Map.of(
          "sluice-presence",
          List.of("{'type':'presence','ref':2,'topic':'rest.1'}"),
          "sluice-queues",
          List.of(
              "{'type':'consume','ref':2,'queue':'orders'}",
              "{'type':'consume','ref':2,'topic':'rest.1','durable':'desk-1'}",
              "{'type':'consume','ref':2,'topic':'rest.1','shared':'workers'}",
              "{'type':'credit','ref':2,'subscription':7,'credit':50}",
              "{'type':'ack','ref':2,'subscription':7,'tag':12}",
              "{'type':'respond','ref':2,'subscription':7,'tag':12,'payload':'1'}",
              "{'type':'browse','ref':2,'queue':'orders'}",
              "{'type':'list','ref':2}",
              "{'type':'delete','ref':2,'topic':'rest.1','durable':'desk-1'}",
              "{'type':'request','ref':2,'topic':'rest.1','payload':'1'}",
              "{'type':'transaction','ref':2,'publish':[{'topic':'rest.1','payload':'1'}]}"));

  /** By default each module is missing once and present once; one by one with all cases. */
  static Stream<String> archives() {
    return TestScope.cases(
        2,
        "sluice-presence sluice-durable sluice-audit sluice-operator-cli sluice-demo"
            + " sluice-http-streams sluice-stomp sluice-mqtt",
        "sluice-queues sluice-node-queues sluice-node-multicast sluice-membership sluice-cluster",
        "sluice-presence",
        "sluice-durable",
        "sluice-http-streams",
        "sluice-stomp",
        "sluice-mqtt",
        "sluice-queues",
        "sluice-membership sluice-cluster",
        "sluice-cluster",
        "sluice-provider-kit");
  }

  @ParameterizedTest
  @MethodSource("archives")
  void shouldForwardMessagesAndRefuseTheFramesOfTheModule(String archives) throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        SluiceProcess node =
            start(
                archives,
                "broker.url: " + broker.url() + "\npublish.topics: [rest.>]\n",
                ANY_ADMIN_PORT)) {
      String admin = node.awaitLine("admin: (http://127.0.0.1:\\d+)/health/ready").group(1);
      SluiceProcess.awaitStatus(admin + "/health/ready", 200);
      SluiceProcess.awaitStatus(
          admin + "/durables", archives.contains("sluice-queues") ? 501 : 200);
      assertThat(SluiceProcess.get(admin + "/cluster").body()).contains("\"state\":\"up\"");
      try (RawWebSocket client = assertForwards(broker, node)) {
        for (String archive : archives.split(" ")) {
          for (String frame : FRAMES.getOrDefault(archive, List.of())) {
            client.text(frame.replace('\'', '"'));
            assertThat(client.readJson().path("code").asText()).as(frame).isEqualTo("unsupported");
          }
        }

        client.text("{\"type\":\"publish\",\"ref\":2,\"topic\":\"rest.2\",\"payload\":\"1\"}");
        assertThat(client.readJson().get("type").asText()).isEqualTo("published");
      }
    }
  }

  /** The default of the admin port does not require one. */
  @Test
  void shouldForwardMessagesWithoutAnAdminPort() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        SluiceProcess node = start("sluice-admin", "broker.url: " + broker.url() + "\n")) {
      awaitEvent(node, "broker.connected");
      assertForwards(broker, node).close();
      awaitEvent(node, "admin.absent");
      assertThat(node.output()).hasSize(1);
      node.signal("HUP");
      awaitEvent(node, "config.reloaded");
      node.sigterm();
      assertThat(node.exitCode()).isZero();
    }
  }

  private static void awaitEvent(SluiceProcess node, String event) {
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> node.errors().stream().anyMatch(line -> line.contains(event)));
  }

  private static RawWebSocket assertForwards(TestBroker broker, SluiceProcess node)
      throws Exception {
    String port = node.awaitLine("Sluice listens at ws://localhost:(\\d+)/ws").group(1);
    RawWebSocket client =
        RawWebSocket.to("127.0.0.1", Integer.parseInt(port), "/ws")
            .subprotocols(Encoding.JSON_SUBPROTOCOL)
            .open();
    client.subscribe(1, "rest.1");
    try (TestPublisher publisher = new TestPublisher(broker.provider(), broker.url())) {
      publisher.text("rest.1", "forwarded");
    }
    assertThat(client.readJson().get("payload").asText()).isEqualTo("forwarded");
    return client;
  }

  @Test
  void shouldNameTheArchivesThatEachKeyRequires() throws Exception {
    Map<String, String> archives =
        Map.ofEntries(
            Map.entry("topics.presence", "sluice-presence-*.jar"),
            Map.entry("kafka.servers", "sluice-source-kafka-*.jar"),
            Map.entry("nats.servers", "sluice-source-nats-*.jar"),
            Map.entry("nodes.roots", "sluice-source-node-*.jar"),
            Map.entry("links.port", "sluice-source-node-*.jar"),
            Map.entry("journal.folder", "sluice-durable-*.jar"),
            Map.entry("permissions.rules", "sluice-queues-*.jar"),
            Map.entry("links.subscribe", "sluice-node-queues-*.jar"),
            Map.entry("links.dial", "sluice-node-multicast-*.jar"),
            Map.entry("cluster.name", "sluice-membership-*.jar and sluice-cluster-*.jar"),
            Map.entry("admin.port", "sluice-admin-*.jar"));
    String missing =
        "sluice-presence sluice-durable sluice-audit sluice-queues sluice-admin sluice-membership"
            + " sluice-cluster sluice-source-kafka sluice-source-nats sluice-source-node"
            + " sluice-node-queues sluice-node-multicast sluice-stomp";
    String settings =
        """
        topics.presence: [rest.>]
        journal.folder: journal
        audit.file: audit.log
        permissions.rules: [{consume: [orders]}]
        cluster: {name: any, nodes: [h:7800]}
        admin.port: 9090
        kafka: {servers: ['k:1'], topics: [a]}
        nats: {servers: ['nats://n:1'], topics: [b]}
        nodes: {roots: ['ws://localhost:1'], topics: [c]}
        links: {port: 0, subscribe: [d, 'queue:orders'], dial: ['udp://239.8.8.1:9444']}
        server.protocols: [http, stomp]
        """;
    assertThat(errorsWithout(missing, settings))
        .contains("server.protocols: requires sluice-stomp-*.jar, which")
        .contains("not on the class path", "audit.file: requires sluice-audit-*.jar, which")
        .contains(
            archives.entrySet().stream()
                .map(each -> each.getKey() + ": requires " + each.getValue() + ", which")
                .toList());
  }

  @Test
  void shouldNotRequireTheArchivesOfUnusedSources() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("sluice.yaml"),
            "nats: {servers: ['nats://127.0.0.1:1']}\nauth.anonymous: true\n");
    try (SluiceProcess command =
        command(
            "sluice-source-jms sluice-jms-providers sluice-queues sluice-source-kafka",
            "check-config",
            file.toString())) {
      assertThat(command.exitCode()).as("%s", command.errors()).isZero();
    }
  }

  @Tag("full")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sluice-presence | topics.presence | topics.presence: [rest.>]",
        "sluice-durable | journal.folder | journal.folder: journal",
        "sluice-audit | audit.events | audit.events: [connected]",
        "sluice-queues | permissions.rules | permissions.rules: [{consume: [orders]}]",
        "sluice-admin | admin.port | admin.port: 9090",
        "sluice-source-node | links.dial | links: {dial: ['ws://localhost:1'], subscribe: [a]}",
        "sluice-kafka-registry | kafka.registry.url | kafka: {servers: [k:1], topics: [a],"
            + " registry: {url: 'http://r', topics: [a]}}",
        "sluice-membership sluice-cluster | cluster.name | cluster: {name: any, nodes: [h:7800]}",
        "sluice-cluster | topics.presence | topics.presence: [rest.>]",
        "sluice-queues | queues.send | queues.send: [orders]",
        "sluice-queues | queues.consume | queues.consume: [orders]",
        "sluice-queues | queues.dead-letter | queues.dead-letter: dead",
        "sluice-queues | topics.durable | topics.durable: [rest.>]",
        "sluice-queues | topics.shared | topics.shared: [rest.>]",
        "sluice-queues | limits.requests | limits.requests: 10",
        "sluice-admin | admin.console | admin: {console: false}"
      })
  void shouldNameTheArchivesThatAKeyRequires(String archives, String key, String setting)
      throws Exception {
    assertThat(errorsWithout(archives, setting + "\n"))
        .contains(key + ": requires " + archives.replace(" ", "-*.jar and ") + "-*.jar, which")
        .contains("not on the class path");
  }

  /** Returns the errors of a node that refuses to start. */
  private String errorsWithout(String archives, String settings) throws IOException {
    try (SluiceProcess node = start(archives, "broker.url: tcp://127.0.0.1:1\n" + settings)) {
      assertThat(node.exitCode()).isNotZero();
      return String.join("\n", node.errors());
    }
  }

  static Stream<Arguments> commands() {
    return TestScope.cases(
        1,
        arguments("sluice-queues", "provider-check --config"),
        arguments("sluice-provider-kit", "provider-check --config"),
        arguments("sluice-admin", "topics --admin http://127.0.0.1:1"));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void shouldNameTheArchiveThatACommandRequires(String archive, String line) throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("sluice.yaml"), "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\n");
    String[] arguments = line.replace("--config", "--config " + file).split(" ");
    try (SluiceProcess command = command(archive, arguments)) {
      assertThat(command.exitCode()).isEqualTo(1);
      assertThat(command.errors())
          .containsExactly(
              "sluice %s: requires %s-*.jar, which is not on the class path"
                  .formatted(arguments[0], archive));
    }
  }

  @Test
  void shouldNameTheArchivesOfFurtherCommands() throws Exception {
    try (SluiceProcess command = command("sluice-operator-cli sluice-demo", "doctor")) {
      assertThat(command.exitCode()).isEqualTo(2);
      assertThat(command.errors())
          .first()
          .asString()
          .startsWith("sluice: unknown command \"doctor\"; ")
          .endsWith(
              "; another one requires sluice-demo-*.jar, which is not on the class path"
                  + "; another one requires sluice-operator-cli-*.jar, which is not on the class"
                  + " path");
    }
  }

  private SluiceProcess start(String missing, String text, String... options) throws IOException {
    Path file = Files.writeString(folder.resolve("sluice.yaml"), text);
    List<String> arguments =
        new ArrayList<>(List.of("run", "--config", file.toString(), "--anonymous", "--port", "0"));
    arguments.addAll(List.of(options));
    return command(missing, arguments.toArray(String[]::new));
  }

  private static SluiceProcess command(String missing, String... arguments) throws IOException {
    String java = ProcessHandle.current().info().command().orElseThrow();
    return SluiceProcess.start(
        List.of(
            java,
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            classPath(missing.split(" ")),
            Sluice.class.getName()),
        arguments);
  }

  private static String classPath(String... missing) throws IOException {
    try (Stream<Path> own = Files.list(TARGET);
        Stream<Path> libraries = Files.list(TARGET.resolve("lib"))) {
      List<String> files =
          Stream.concat(own, libraries)
              .map(Path::toString)
              .filter(file -> file.endsWith(".jar"))
              .toList();
      assertThat(missing).allMatch(each -> files.stream().anyMatch(file -> file.contains(each)));
      return files.stream()
          .filter(file -> Stream.of(missing).noneMatch(file::contains))
          .collect(Collectors.joining(":"));
    }
  }
}
