package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.ConfigFile;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.trace.OtlpReceiver;
import io.sluice.testkit.BinaryMessage;
import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.NatsServer;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.ServerFrame;
import io.sluice.testkit.TestCertificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Capabilities of a node that its source might break, with a node of Kafka and one of NATS: TLS,
 * encodings, HTTP streams, permissions, reload, revocation, selectors, spans and the admin port.
 */
@Timeout(180)
final class SourcesIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TestKey KEY = TestKey.create("key", "ES256");
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String RULES =
      """
      permissions:
        claim: sluice
        rules:
          - {subscribe: ["orders.{sub}.>", news], publish: ["orders.{sub}.>"]}
          - {if: {roles: trader}, subscribe: [prices]}
          - {if: {roles: admin}, subscribe: ["orders.>"], publish: ["orders.>", news, prices]}
      """;

  @TempDir private static Path folder;

  private static final List<Scene> SCENES = new ArrayList<>();
  private static TestIssuer issuer;
  private static TestCertificate certificate;
  private static OtlpReceiver spans;

  @BeforeAll
  static void start() throws Exception {
    issuer = TestIssuer.start();
    issuer.publish(KEY);
    certificate = TestCertificate.create(folder, "node", "EC");
    spans = new OtlpReceiver();
    SCENES.add(kafka());
    if (NatsServer.provide().isPresent()) {
      SCENES.add(nats());
    }
  }

  private static Scene kafka() throws Exception {
    SourceServer server =
        SourceServer.start("kafka", Files.createDirectory(folder.resolve("kafka")))
            .create(List.of("orders", "news", "prices"));
    String keys =
        "kafka: {servers: ['%s'], topics: [news, prices], keyed-topics: [orders]}\n"
            .formatted(server.url());
    return new Scene(server, keys, keys.replace("[orders]", "[orders, other]"));
  }

  private static Scene nats() throws Exception {
    SourceServer server =
        SourceServer.start("nats", Files.createDirectory(folder.resolve("nats-server")))
            .create(List.of("orders.>", "news", "prices"));
    return new Scene(server, server.yaml(), server.yaml().replace("}", ", topics: [news]}"));
  }

  @AfterAll
  static void stop() throws Exception {
    for (Scene scene : SCENES) {
      scene.node.close();
      scene.server.close();
    }
    spans.close();
    issuer.close();
  }

  static Stream<Scene> scenes() {
    return SCENES.stream();
  }

  /** Node of a source and its configuration file. */
  private static final class Scene {
    private final String system;
    private final SourceServer server;

    /** Keys of another source, which a running node does not apply. */
    private final String otherSource;

    private final String source;
    private final Path file;
    private final TestNode node;

    Scene(SourceServer server, String source, String otherSource) throws IOException {
      this.system = server.kind();
      this.server = server;
      this.source = source;
      this.otherSource = otherSource;
      this.file = folder.resolve(system + ".yaml");
      write(source, RULES);
      this.node = TestNode.start(ConfigFile.read(file, name -> null).config());
      node.gateway().reloadFrom(() -> ConfigFile.read(file, name -> null), any -> {});
      node.awaitReady();
    }

    private void write(String keys, String rules) throws IOException {
      String all =
          """
          server: {host: 127.0.0.1, port: 0, tls: {certificate: %s, key: %s}}
          admin.port: 0
          tracing.endpoint: '%s'
          auth: {jwt: {jwks-url: '%s'}}
          topics.selectors: true
          broker: {forward-properties: [side], linger: 100ms}
          """
              .formatted(
                  certificate.certificate(), certificate.key(), spans.url(), issuer.jwksUrl());
      Files.writeString(file, keys + all + rules);
    }

    private JsonNode reload(String keys, String rules) throws IOException {
      write(keys, rules);
      return JSON.readTree(node.command("/reload").body());
    }

    /** Opens a client, with JSON, of a user with a role. */
    RawWebSocket json(String subject, String role) {
      return open(Encoding.JSON_SUBPROTOCOL, token(subject, role));
    }

    private RawWebSocket open(String protocol, String token) {
      RawWebSocket client = node.request().tls(certificate.trust()).subprotocols(protocol).open();
      client.text(connect(token));
      client.await("hello");
      return client;
    }

    /** Opens an HTTP stream with a subscription to the news. */
    RawWebSocket stream(boolean binary, String token) {
      String[] frames = {connect(token), "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"news\"}"};
      RawWebSocket.Request request = binary ? node.binaryStream(frames) : node.stream(frames);
      RawWebSocket client = request.tls(certificate.trust()).open();
      client.await("subscribed");
      return client;
    }

    @Override
    public String toString() {
      return system;
    }
  }

  private static String connect(String token) {
    return "{\"type\":\"connect\",\"token\":\"" + token + "\"}";
  }

  private static String token(String subject, String role) {
    JwtClaims claims = TestKey.claims();
    claims.setSubject(subject);
    claims.setJwtId("token of " + subject);
    claims.setClaim("roles", List.of(role));
    claims.setClaim("sluice", Map.of("subscribe", List.of("orders.of-claim.>")));
    return KEY.sign(claims);
  }

  // The client may be subscribed to the topic, and messages may come before the answer.
  private static void publish(RawWebSocket client, String topic, String payload, String property) {
    client.text(
        "{\"type\":\"publish\",\"ref\":8,\"topic\":\"%s\",\"payload\":\"%s\",\"properties\":{%s}}"
            .formatted(topic, payload, property));
    client.await("published");
  }

  private static void assertForbidden(RawWebSocket client, String type, String topic) {
    client.text(
        "{\"type\":\"%s\",\"ref\":9,\"topic\":\"%s\",\"payload\":\"x\"}".formatted(type, topic));
    JsonNode error = client.await("error");
    assertThat(error.path("topic").asText()).isEqualTo(topic);
    assertThat(error.path("code").asText()).isEqualTo("forbidden");
  }

  @ParameterizedTest
  @MethodSource("scenes")
  void shouldGrantTopicsByRulesClaimsAndPatterns(Scene scene) {
    try (RawWebSocket ann = scene.json("ann", "none");
        RawWebSocket admin = scene.json("root", "admin")) {
      ann.subscribe(1, "orders.ann.*");
      ann.subscribe(2, "orders.of-claim.a");
      for (String topic : List.of("orders.bob.a", "orders.>", "orders.*.a", "orders", "prices")) {
        assertForbidden(ann, "subscribe", topic);
      }
      assertForbidden(ann, "publish", "orders.of-claim.a");
      publish(admin, "orders.bob.a", "no", "");
      publish(admin, "orders.ann.a", "yes", "");
      publish(admin, "orders.of-claim.a", "claim", "");
      assertThat(ann.payloads(2)).containsExactlyInAnyOrder("yes", "claim");
      admin.subscribe(1, "orders.*.b");
      ann.text("{\"type\":\"publish\",\"topic\":\"orders.ann.b\",\"payload\":\"by ann\"}");
      assertThat(admin.payloads(1)).containsExactly("by ann");
    }
  }

  @ParameterizedTest
  @MethodSource("scenes")
  void shouldServeEveryEncodingAndTransportWithTls(Scene scene) {
    try (RawWebSocket admin = scene.json("root", "admin");
        RawWebSocket json = scene.json("ann", "none");
        RawWebSocket binary = scene.open(Encoding.BINARY_SUBPROTOCOL, token("ann", "none"));
        RawWebSocket stream = scene.stream(false, token("ann", "none"));
        RawWebSocket binaryStream = scene.stream(true, token("ann", "none"))) {
      json.text(
          "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"news\",\"tagged\":true,"
              + "\"where\":\"side = 'sell'\"}");
      json.await("subscribed");
      binary.subscribe(1, "news");
      publish(admin, "news", "bought", "\"side\":\"buy\"");
      publish(admin, "news", "sold", "\"side\":\"sell\"");

      JsonNode selected = json.await("message");
      assertThat(selected.get("payload").asText()).isEqualTo("sold");
      assertThat(selected.at("/properties/side").asText()).isEqualTo("sell");
      assertThat(stream.payloads(2)).containsExactlyInAnyOrder("bought", "sold");
      for (RawWebSocket each : List.of(binary, binaryStream)) {
        assertThat(List.of(nextBinary(each).text(), nextBinary(each).text()))
            .containsExactlyInAnyOrder("bought", "sold");
      }
    }
  }

  private static BinaryMessage nextBinary(RawWebSocket client) {
    ServerFrame frame = client.readMessage();
    while (frame.opcode() != ClientFrame.BINARY) {
      frame = client.readMessage();
    }
    return BinaryMessage.read(frame.payload());
  }

  @ParameterizedTest
  @MethodSource("scenes")
  void shouldEndOnlySubscriptionsThatAReloadNoLongerGrants(Scene scene) throws Exception {
    try (RawWebSocket admin = scene.json("root", "admin");
        RawWebSocket trader = scene.json("ann", "trader")) {
      trader.subscribe(1, "prices");
      long offset = trader.subscribe(2, "news").get("offset").asLong();
      JsonNode reloaded = scene.reload(scene.source, RULES.replace("[prices]}", "[none]}"));
      assertThat(reloaded.get("applied").get(0).asText()).isEqualTo("permissions.rules");
      JsonNode error = trader.await("error");
      assertThat(error.path("topic").asText()).isEqualTo("prices");
      assertThat(error.path("code").asText()).isEqualTo("forbidden");
      JsonNode other = scene.reload(scene.otherSource, RULES);
      assertThat(other.get("restart")).hasSize(1);

      publish(admin, "prices", "no", "");
      publish(admin, "news", "yes", "");
      JsonNode message = trader.await("message");
      assertThat(message.get("payload").asText()).isEqualTo("yes");
      assertThat(message.get("offset").asLong()).isEqualTo(offset + 1);
      trader.subscribe(3, "prices");
    } finally {
      scene.reload(scene.source, RULES);
    }
  }

  @ParameterizedTest
  @MethodSource("scenes")
  void shouldCloseRevokedClients(Scene scene) {
    try (RawWebSocket client = scene.json("revoked", "none");
        RawWebSocket stream = scene.stream(true, token("lost", "none"))) {
      client.subscribe(1, "news");
      assertThat(scene.node.revoke("subject", "revoked")).isEqualTo("{\"closed\":1}");
      assertThat(scene.node.revoke("token", "token of lost")).isEqualTo("{\"closed\":1}");
      assertThat(client.awaitClose()).isEqualTo(4204);
      assertThat(stream.awaitClose()).isEqualTo(4204);
    }
  }

  @ParameterizedTest
  @MethodSource("scenes")
  void shouldExplainSubscriptionsToOperators(Scene scene) throws Exception {
    try (RawWebSocket admin = scene.json("root", "admin");
        RawWebSocket client = scene.json("why", "none")) {
      client.subscribe(1, "orders.why.*");
      publish(admin, "orders.why.a", "x", "");
      client.await("message");

      JsonNode why = JSON.readTree(scene.node.admin("/why?subject=why&topic=orders.why.a").body());
      assertThat(why.get("steps")).noneMatch(step -> step.get("result").asText().equals("problem"));
      assertThat(why.toString()).contains("up to offset").doesNotContain("not recovered");
      JsonNode topic = JSON.readTree(scene.node.admin("/topics/orders.why.*").body());
      assertThat(topic.at("/interests/0/consumer").asText()).isEqualTo("active");
      assertThat(topic.at("/subscriptions/0/subject").asText()).isEqualTo("why");
      assertThat(scene.node.admin("/durables").body()).contains("requires a JMS broker");
      assertThat(scene.node.admin("/config").body()).contains(scene.system + ".servers");
    }
  }

  @ParameterizedTest
  @MethodSource("scenes")
  void shouldTraceFromThePublishToTheClients(Scene scene) {
    try (RawWebSocket admin = scene.json("root", "admin");
        RawWebSocket client = scene.json("ann", "none")) {
      client.subscribe(1, "news");
      String parent = "00-" + TRACE + "-00f067aa0ba902b7-01";
      publish(admin, "news", "traced", "\"traceparent\":\"" + parent + "\"");
      client.await("message");
      for (String name : List.of("publish", "forward")) {
        await().until(() -> systems(name).contains(scene.system));
      }
    }
  }

  private static List<String> systems(String name) {
    return spans.spans().stream()
        .filter(span -> span.name().equals(name))
        .map(span -> span.attribute("messaging.system"))
        .toList();
  }
}
