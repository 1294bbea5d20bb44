package io.sluice.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.auth.TestKdc;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.RawWebSocket;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients with tickets of a real KDC at real nodes; no broker is needed. Skipped where no KDC is to
 * be had.
 */
@Timeout(180)
final class KerberosIT {
  private static final String SERVICE = "HTTP/localhost@" + TestKdc.REALM;
  private static final String ALICE = "alice@" + TestKdc.REALM;
  private static final String BOB = "bob@" + TestKdc.REALM;
  private static final String APP = "https://app.example.com";
  private static final String PING = "{\"type\":\"ping\",\"ref\":1}";
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final TestKey KEY = TestKey.create("key", "ES256");

  @TempDir private static Path folder;

  private static TestKdc kdc;
  private static Path users;

  /** Takes tickets only. */
  private static TestNode node;

  /** Takes tokens as well, and ends sessions soon. */
  private static TestNode mixed;

  @BeforeAll
  static void start() throws Exception {
    Optional<TestKdc> started = TestKdc.start(Files.createDirectory(folder.resolve("kdc")));
    assumeThat(started).as("a KDC, see above").isPresent();
    kdc = started.get();
    kdc.add(SERVICE, ALICE, BOB);
    users = kdc.keytab(ALICE, BOB);
    Config config =
        TestNode.config("artemis", "tcp://127.0.0.1:1")
            .with(AuthSettings.ANONYMOUS, false)
            .with(ServerSettings.ALLOWED_ORIGINS, List.of(APP))
            .with(AuthSettings.KERBEROS_KEYTAB, kdc.keytab(SERVICE).toString())
            .with(AuthSettings.KERBEROS_PRINCIPAL, List.of(SERVICE))
            .with(AuthSettings.KERBEROS_LOCAL_REALM, TestKdc.REALM);
    PermissionRule own =
        new PermissionRule(Map.of("realm", TestKdc.REALM), List.of(), List.of("orders.{sub}.>"));
    node = TestNode.start(config, TopicSettings.PERMISSION_RULES, List.of(own));
    Path key = Files.writeString(folder.resolve("key.json"), TestKey.jwks(KEY));
    mixed =
        TestNode.start(
            config
                .with(AuthSettings.JWT_KEYS, List.of(key.toString()))
                .with(AuthSettings.KERBEROS_SESSION, Duration.ofSeconds(3)));
  }

  @AfterAll
  static void stop() throws Exception {
    Stream.of(node, mixed).filter(each -> each != null).forEach(TestNode::close);
    if (kdc != null) {
      kdc.close();
    }
  }

  private static String negotiate(byte[] ticket) {
    return "Negotiate " + Base64.getEncoder().encodeToString(ticket);
  }

  private static String ticket(String client) throws Exception {
    return negotiate(kdc.ticket(users, client, SERVICE));
  }

  private static RawWebSocket.Request json(TestNode at) {
    return at.request().subprotocols(Encoding.JSON_SUBPROTOCOL);
  }

  private static RawWebSocket enter(RawWebSocket.Request request) {
    RawWebSocket client = request.open();
    client.text(PING);
    client.await("hello");
    return client;
  }

  private static JsonNode refused(RawWebSocket.Request request, int code) {
    try (RawWebSocket client = request.open()) {
      client.text(PING);
      JsonNode error = client.await("error");
      assertThat(error.path("code").asText()).isEqualTo("unauthorized");
      assertThat(client.awaitClose()).isEqualTo(code);
      return error;
    }
  }

  @Test
  void shouldAcceptATicketAndGrantItsPermissions() throws Exception {
    double before = node.metric("sluice_authentications_total{mechanism=\"kerberos\"}");
    try (RawWebSocket client = enter(json(node).set("Authorization", ticket(ALICE)))) {
      client.text(
          "{\"type\":\"publish\",\"ref\":2,\"topic\":\"orders.bob.new\",\"payload\":\"x\"}");
      assertThat(client.await("error").path("code").asText()).isEqualTo("forbidden");
      client.text(
          "{\"type\":\"publish\",\"ref\":3,\"topic\":\"orders.alice.new\",\"payload\":\"x\"}");
      assertThat(client.await("error").path("code").asText())
          .as("past the permissions, at the broker that is not there")
          .isEqualTo("broker-unavailable");
    }
    assertThat(node.metric("sluice_authentications_total{mechanism=\"kerberos\"}"))
        .isGreaterThan(before);
  }

  @Test
  void shouldAcceptATicketWithARequestForAStream() throws Exception {
    RawWebSocket.Request request = node.stream(PING).set("Authorization", ticket(ALICE));
    try (RawWebSocket client = request.set("Origin", APP).open()) {
      assertThat(client.header("Access-Control-Allow-Credentials")).isEqualTo("true");
      client.await("hello");
      client.await("pong");
    }
  }

  @Test
  void shouldReportTheProblemOfATicket() throws Exception {
    String right = ticket(ALICE);
    enter(json(node).set("Authorization", right)).close();
    assertThat(refused(json(node).set("Authorization", right), 4200).path("message").asText())
        .contains("used before");
    String ntlm = negotiate("NTLMSSP\0\1\0\0\0".getBytes(ISO_8859_1));
    assertThat(refused(json(node).set("Authorization", ntlm), 4200).path("message").asText())
        .contains("NTLM");
    assertThat(
            refused(json(node).set("Authorization", "Negotiate *"), 4200).path("message").asText())
        .contains("not in base64");
    assertThat(
            refused(node.stream(PING).set("Authorization", right), 4200).path("message").asText())
        .contains("used before");
  }

  @Test
  void shouldChallengeClientsWithoutACredential() {
    double before = node.metric("sluice_handshakes_refused_total{cause=\"401\"}");
    for (RawWebSocket.Request request :
        List.of(
            json(node),
            json(node).set("Authorization", "Negotiate"),
            json(node).set("Authorization", "Basic YWxpY2U6eA=="),
            node.stream(PING))) {
      try (RawWebSocket client = request.attempt()) {
        assertThat(client.status()).isEqualTo(401);
        assertThat(client.header("WWW-Authenticate")).isEqualTo("Negotiate");
      }
    }
    assertThat(node.metric("sluice_handshakes_refused_total{cause=\"401\"}")).isEqualTo(before + 4);
  }

  @Test
  void shouldNotChallengePagesOfOtherOrigins() {
    for (RawWebSocket.Request request : List.of(json(node), node.stream(PING))) {
      try (RawWebSocket client = request.set("Origin", "https://evil.example.com").attempt()) {
        assertThat(client.status()).isEqualTo(403);
        assertThat(client.header("WWW-Authenticate")).isNull();
      }
    }
    try (RawWebSocket client = node.stream(PING).set("Origin", APP).attempt()) {
      assertThat(client.status()).isEqualTo(401);
      assertThat(client.header("Access-Control-Allow-Origin")).isEqualTo(APP);
    }
  }

  /** As browsers do: the answer to the question comes on the same connection. */
  @Test
  void shouldAcceptTheTicketOnTheConnectionOfTheChallenge() throws Exception {
    String head =
        "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
            + RawWebSocket.KEY
            + "\r\n";
    try (Socket socket = new Socket("127.0.0.1", node.gateway().port())) {
      socket.setSoTimeout(20_000);
      assertThat(answer(socket, head + "\r\n")).startsWith("HTTP/1.1 401 ");
      assertThat(answer(socket, head + "Authorization: " + ticket(ALICE) + "\r\n\r\n"))
          .startsWith("HTTP/1.1 101 ");
    }
  }

  private static String answer(Socket socket, String request) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(request.getBytes(ISO_8859_1));
    InputStream in = socket.getInputStream();
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      head.append((char) in.read());
    }
    String length = "content-length: ";
    int at = head.toString().toLowerCase(Locale.ROOT).indexOf(length);
    if (at >= 0) {
      int from = at + length.length();
      in.readNBytes(Integer.parseInt(head.substring(from, head.indexOf("\r", from))));
    }
    return head.toString();
  }

  @Test
  void shouldChallengeOnRequestOnlyIfTokensUseTheFirstFrame() throws Exception {
    try (RawWebSocket client = json(mixed).open()) {
      client.text("{\"type\":\"connect\",\"token\":\"" + KEY.sign(TestKey.claims()) + "\"}");
      assertThat(client.await("hello").has("expires")).isTrue();
    }
    String wish = "GET /ws?auth=negotiate HTTP/1.1";
    try (RawWebSocket client = json(mixed).requestLine(wish).attempt()) {
      assertThat(client.status()).isEqualTo(401);
    }
    enter(json(mixed).requestLine(wish).set("Authorization", ticket(ALICE))).close();
  }

  @Tag("full")
  @Test
  void shouldEndTheSessionInTimeAndAcceptAFreshTicket() throws Exception {
    try (RawWebSocket client = json(mixed).set("Authorization", ticket(ALICE)).open()) {
      client.text(PING);
      assertThat(client.await("hello").has("expires")).as("nothing to refresh").isFalse();
      assertThat(client.awaitClose()).isEqualTo(4201);
    }
    // As the JavaScript client does, whose function for tokens has none to give.
    try (RawWebSocket client = json(mixed).set("Authorization", ticket(ALICE)).open()) {
      client.text("{\"type\":\"connect\",\"token\":\"\"}");
      client.await("hello");
    }
  }

  @Test
  void shouldRejectARevokedNameUntilItsNextLogin() throws Exception {
    byte[] before = kdc.ticket(users, BOB, SERVICE);
    try (RawWebSocket client = enter(json(node).set("Authorization", ticket(BOB)))) {
      revoke("bob");
      assertThat(client.awaitClose()).isEqualTo(4204);
    }
    refused(json(node).set("Authorization", negotiate(before)), 4204);
    enter(json(node).set("Authorization", ticket(ALICE))).close();
    // Tickets have whole seconds of the KDC's clock, which may be late.
    await().atMost(LONG).until(() -> isAccepted(json(node).set("Authorization", ticket(BOB))));
  }

  private static boolean isAccepted(RawWebSocket.Request request) {
    try (RawWebSocket client = request.open()) {
      client.text(PING);
      JsonNode answer = client.readJson();
      if (answer.get("type").asText().equals("hello")) {
        return true;
      }
      assertThat(answer.path("code").asText()).isEqualTo("unauthorized");
      assertThat(client.awaitClose()).isEqualTo(4204);
      return false;
    }
  }

  private static void revoke(String subject) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + node.gateway().adminPort() + "/revocations"))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString("{\"subject\":\"" + subject + "\"}"))
            .build();
    assertThat(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body())
        .isEqualTo("{\"closed\":1}");
  }

  /** Each is answered by itself, and who comes behind them with a good one gets in. */
  @Test
  void shouldSurviveAFloodOfInvalidTickets() throws Exception {
    byte[] bad = kdc.ticket(users, ALICE, SERVICE);
    bad[bad.length - 1] ^= 1;
    List<RawWebSocket> flood = new ArrayList<>();
    try {
      for (int i = 0; i < 100; i++) {
        RawWebSocket client = json(node).set("Authorization", negotiate(bad)).open();
        flood.add(client);
        client.text(PING);
      }
      enter(json(node).set("Authorization", ticket(ALICE))).close();
      for (RawWebSocket client : flood) {
        assertThat(client.awaitClose()).isIn(4200, 4002);
      }
    } finally {
      flood.forEach(RawWebSocket::close);
    }
  }

  /** The client is MIT's, in curl; skipped where curl has none. */
  @Test
  void shouldServeCurl() throws Exception {
    assumeThat(said("curl", Map.of(), "--version")).contains("SPNEGO");
    Map<String, String> environment = kdc.login(users, ALICE);
    String url = "http://localhost:" + node.gateway().port() + "/stream";
    String body =
        said(
            "curl",
            environment,
            "-sv",
            "--anyauth",
            "-u",
            ":",
            "--max-time",
            "20",
            "--connect-to",
            "localhost::127.0.0.1:",
            "--data-binary",
            PING,
            url);
    assertThat(body).contains("401 Unauthorized").contains("\"hello\"").contains("\"pong\"");
  }

  private static String said(String program, Map<String, String> environment, String... arguments)
      throws Exception {
    List<String> command = new ArrayList<>(List.of(program));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    try {
      Process process = builder.start();
      String said = new String(process.getInputStream().readAllBytes(), ISO_8859_1);
      process.waitFor();
      return said;
    } catch (IOException absent) {
      return "";
    }
  }
}
