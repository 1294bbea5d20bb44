package io.sluice.gateway;

import static io.sluice.gateway.auth.TestKey.claims;
import static io.sluice.gateway.auth.TestKey.inSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.ClassicBroker;
import io.sluice.testkit.RawWebSocket;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the content of the audit log of a node with clients and a broker. */
@Timeout(180)
final class AuditIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TestKey KEY = TestKey.create("key", "ES256");

  @TempDir private Path folder;
  private TestIssuer issuer;
  private ClassicBroker broker;
  private TestNode node;

  @BeforeEach
  void start() {
    issuer = TestIssuer.start();
    issuer.publish(KEY);
    broker = ClassicBroker.start();
    node = TestNode.start(config());
    node.awaitReady();
  }

  @AfterEach
  void stop() {
    node.close();
    broker.close();
    issuer.close();
  }

  private Config config() {
    return TestNode.config(broker.provider(), broker.url())
        .with(AuthSettings.ANONYMOUS, false)
        .with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl())
        .with(LimitSettings.SUBSCRIPTIONS, 2)
        .with(ServerSettings.ALLOWED_ORIGINS, List.of("https://ours.example"))
        .with(
            TopicSettings.PERMISSION_RULES,
            List.of(new PermissionRule(Map.of(), List.of("open.>"), List.of("open.>"))))
        .with(
            AdminSettings.AUDIT_EVENTS,
            List.of("connected", "refreshed", "disconnected", "subscribed", "published", "refused"))
        .with(AdminSettings.AUDIT_FILE, audit().toString());
  }

  private Path audit() {
    return folder.resolve("audit.log");
  }

  private RawWebSocket enter(String token) {
    RawWebSocket client = node.json();
    client.text("{\"type\":\"connect\",\"ref\":1,\"token\":\"" + token + "\"}");
    return client;
  }

  private RawWebSocket enter() {
    RawWebSocket client = enter(KEY.sign(claims()));
    client.await("hello");
    return client;
  }

  private static String refusal(RawWebSocket client, String frame) {
    client.text(frame.replace('\'', '"'));
    return client.await("error").get("code").asText();
  }

  private static String subscribe(String topic) {
    return "{'type':'subscribe','ref':7,'topic':'" + topic + "'}";
  }

  private static String publish(String topic) {
    return "{'type':'publish','ref':8,'topic':'" + topic + "','payload':'x'}";
  }

  private List<JsonNode> lines() {
    return lines(audit());
  }

  private static List<JsonNode> lines(Path file) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.map(AuditIT::parse).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JsonNode parse(String line) {
    try {
      return JSON.readTree(line);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the distinctive fields of an event. */
  private static String brief(JsonNode line) {
    return Stream.of("event", "subject", "what", "topic", "why")
        .filter(line::has)
        .map(name -> line.get(name).asText())
        .reduce((before, word) -> before + " " + word)
        .orElseThrow();
  }

  /** All that the log says in the end. */
  private void assertSays(String... expected) {
    await()
        .untilAsserted(
            () -> assertThat(lines()).extracting(AuditIT::brief).containsExactly(expected));
  }

  @Test
  void shouldLogEachEventOfASessionOnce() {
    try (RawWebSocket client = enter()) {
      client.subscribe(2, "open.a");
      client.publish(3, "open.a", "x");
      client.text("{\"type\":\"refresh\",\"ref\":4,\"token\":\"" + KEY.sign(claims()) + "\"}");
      client.await("refreshed");
    }

    assertSays(
        "connected alice",
        "subscribed alice open.a",
        "published alice open.a",
        "refreshed alice",
        "disconnected alice connection-lost");
    assertThat(lines())
        .allSatisfy(
            line -> {
              assertThat(line.get("session").asText()).startsWith("test-node-");
              assertThat(line.get("token").asText()).isEqualTo("id-1");
              assertThat(line.get("address").asText()).isEqualTo("127.0.0.1");
            });
  }

  @Test
  void shouldLogWhyASessionEndsAndWhoHasEndedIt() {
    try (RawWebSocket leaving = enter()) {
      leaving.sendClose(1000, "");
      leaving.awaitClose();
    }
    assertSays("connected alice", "disconnected alice closed-by-client");

    try (RawWebSocket ended = enter()) {
      await().until(() -> lines().size() == 3);
      String session = lines().get(2).get("session").asText();
      assertThat(node.command("/clients/" + session + "/disconnect").statusCode()).isEqualTo(200);
      assertThat(ended.awaitClose()).isEqualTo(4004);
    }
    assertSays(
        "connected alice",
        "disconnected alice closed-by-client",
        "connected alice",
        "disconnected alice disconnected");
    assertThat(lines().get(3).get("by").asText()).isEqualTo("127.0.0.1");
  }

  @Test
  void shouldLogRejectionsWithTheirReason() {
    try (RawWebSocket client = enter()) {
      assertThat(refusal(client, subscribe("hidden"))).isEqualTo("forbidden");
      assertThat(refusal(client, publish("hidden"))).isEqualTo("forbidden");
      client.subscribe(2, "open.a");
      client.subscribe(3, "open.b");
      assertThat(refusal(client, subscribe("open.c"))).isEqualTo("too-many-subscriptions");
      assertThat(refusal(client, "{'type':'refresh','ref':4,'token':'x'}"))
          .isEqualTo("unauthorized");
      assertThat(refusal(client, subscribe("open.a"))).isEqualTo("already-subscribed");
      assertThat(refusal(client, "{'type':'?','ref':5}")).isEqualTo("unknown-type");
    }

    assertSays(
        "connected alice",
        "refused alice subscribe hidden forbidden",
        "refused alice publish hidden forbidden",
        "subscribed alice open.a",
        "subscribed alice open.b",
        "refused alice subscribe open.c too-many-subscriptions",
        "refused alice refresh malformed",
        "disconnected alice connection-lost");
  }

  @Test
  void shouldLogRejectionsOfTheBrokerAsRefusedOnly() {
    broker.refuse(ClassicBroker.Refusal.MESSAGES, "open.mute");
    broker.refuse(ClassicBroker.Refusal.CONSUMERS, "open.deaf");
    try (RawWebSocket client = enter()) {
      assertThat(refusal(client, publish("open.mute"))).isEqualTo("forbidden");
      assertThat(refusal(client, subscribe("open.deaf"))).isEqualTo("forbidden");
    }

    assertSays(
        "connected alice",
        "refused alice publish open.mute forbidden",
        "refused alice subscribe open.deaf forbidden",
        "disconnected alice connection-lost");
  }

  @Test
  void shouldNotLogAPublishWhileTheBrokerIsDown() {
    try (RawWebSocket client = enter()) {
      broker.kill();
      client.await("stale");
      assertThat(refusal(client, publish("open.a"))).isEqualTo("broker-unavailable");
      client.text(subscribe("open.b").replace('\'', '"'));
      client.text("{\"type\":\"ping\",\"ref\":9}");
      client.await("pong");
    }

    assertSays(
        "connected alice",
        "refused alice publish open.a broker-unavailable",
        "disconnected alice connection-lost");
  }

  @Test
  void shouldLogTheOwnerOfARejectedCredential() {
    JwtClaims old = claims();
    old.setExpirationTime(inSeconds(-1));
    JwtClaims withdrawn = claims();
    withdrawn.setJwtId("id-2");
    node.revoke("token", "id-2");
    assertClosed(enter(KEY.sign(old)), 4201);
    assertClosed(enter(KEY.sign(withdrawn)), 4204);
    assertClosed(enter(TestKey.create("key", "ES256").sign(claims())), 4200);

    assertSays(
        "refused alice connect expired",
        "refused alice connect revoked",
        "refused connect refused");
    assertThat(lines().get(1).get("token").asText()).isEqualTo("id-2");
  }

  private static void assertClosed(RawWebSocket client, int code) {
    try (client) {
      assertThat(client.awaitClose()).isEqualTo(code);
    }
  }

  @Test
  void shouldLogTheIndexOfAnOperatorsTokenOnly() throws IOException {
    String old = "0123456789-old-token";
    String fresh = "0123456789-new-token";
    Path tokens = Files.writeString(folder.resolve("tokens"), old + "\n\n" + fresh + "\n");
    Path file = folder.resolve("operators.log");
    Config guarded =
        config()
            .with(AdminSettings.TOKEN, "0123456789-setting")
            .with(AdminSettings.TOKEN_FILE, tokens.toString())
            .with(AdminSettings.AUDIT_EVENTS, List.of("revoked", "restored", "commanded"))
            .with(AdminSettings.AUDIT_FILE, file.toString());
    try (TestNode guardedNode = TestNode.start(guarded)) {
      guardedNode.revoke("subject", "ann");
      guardedNode.operator(old).revoke("session", "none");
      guardedNode.operator(fresh).restore("subject", "ann");
      guardedNode.operator(fresh).command("/drain");
      guardedNode.operator("0123456789-of-nobody").revoke("subject", "bob");
    }

    assertThat(lines(file))
        .extracting(line -> line.get("event").asText() + " " + line.get("with").asText())
        .containsExactly(
            "revoked admin.token",
            "revoked admin.token-file:1",
            "restored admin.token-file:3",
            "commanded admin.token-file:3");
    assertThat(lines(file)).allMatch(line -> line.get("by").asText().equals("127.0.0.1"));
    assertThat(Files.readString(file)).doesNotContain("0123456789");
  }

  @Test
  void shouldLogHandshakesWithoutASession() {
    try (RawWebSocket client = node.request().set("Origin", "https://theirs.example").attempt()) {
      assertThat(client.status()).isEqualTo(403);
    }

    assertSays("refused handshake 403");
    JsonNode line = lines().get(0);
    assertThat(line.get("address").asText()).isEqualTo("127.0.0.1");
    assertThat(line.has("session")).isFalse();
  }
}
