package io.sluice.gateway.cli;

import static io.sluice.gateway.auth.TestKey.claims;
import static io.sluice.gateway.auth.TestKey.inSeconds;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.EachBroker;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.ClassicBroker;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.ServerFrame;
import io.sluice.testkit.SluiceProcess;
import io.sluice.testkit.TestAuthority;
import io.sluice.testkit.TestAuthority.Issued;
import io.sluice.testkit.TestBroker;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** Tests that a node with the most detailed log discloses no credential. */
@Tag("full")
@Timeout(300)
final class SecretsIT {
  private static final TestKey KEY = TestKey.create("key", "ES256");
  private static final TestKey STRANGER = TestKey.create("key", "ES256");
  private static final List<String> PAGES =
      List.of("/health/live", "/health/ready", "/metrics", "/clients", "/revocations", "/cluster");

  private static final String ALL =
      "send,consume,createAddress,deleteAddress,createNonDurableQueue,deleteNonDurableQueue";

  private final Secrets secrets = new Secrets();
  private final StringBuilder answers = new StringBuilder();
  private final HttpClient http = HttpClient.newHttpClient();

  @TempDir private Path folder;
  private TestAuthority authority;
  private TestIssuer issuer;
  private String operator;
  private int tokens;
  private int port;
  private int adminPort;

  @BeforeEach
  void start() {
    authority = TestAuthority.create(folder, "authority");
    issuer = TestIssuer.start();
    issuer.publish(KEY);
    issuer.introspection("{\"active\":true,\"sub\":\"opal\"}");
    operator = secrets.make("admin.token");
  }

  @AfterEach
  void stop() {
    issuer.close();
  }

  private TestBroker broker(String provider, String password) {
    return provider.equals("classic")
        ? ClassicBroker.startWithUser("node", password)
        : ArtemisProcess.start("--user", "node", "--password", password, "--grant", "#=" + ALL);
  }

  private Path configuration(TestBroker broker, String password) throws IOException {
    Issued own = authority.issue("node", "CN=node", "SAN=ip:127.0.0.1,dns:localhost");
    secrets.keepPem("server.tls.key", Files.readString(own.key()));
    Path tokenFile = Files.createTempFile(folder, "tokens", "");
    Files.writeString(tokenFile, secrets.make("admin.token-file") + "\n");
    String clientSecret = secrets.make("auth.introspection.client-secret");
    secrets.keep("introspection's header", "sluice:" + clientSecret);
    return Files.writeString(
        Files.createTempFile(folder, "sluice", ".yaml"),
        """
        server: {host: 127.0.0.1, port: 0}
        server.tls: {certificate: %s, key: %s}
        server.allowed-origins: []
        admin: {port: 0, token: %s, token-file: %s}
        auth.jwt.jwks-url: %s
        auth.introspection: {url: %s, client-id: sluice, client-secret: %s}
        auth.introspection.cache: 1ms
        auth.cookie: session
        auth.query-parameter: token
        broker: {provider: %s, url: "%s?%s=%s", user: node, password: %s}
        audit.file: %s
        audit.events: [connected, refreshed, disconnected, subscribed, published, refused, revoked,
          restored, commanded, admin-refused]
        log.level: trace
        """
            .formatted(
                own.certificate(),
                own.key(),
                operator,
                tokenFile,
                issuer.jwksUrl(),
                issuer.introspectionUrl(),
                clientSecret,
                broker.provider(),
                broker.url(),
                broker.provider().equals("classic") ? "jms.password" : "trustStorePassword",
                secrets.make("a password in the URL"),
                password,
                audit()));
  }

  private Path audit() {
    return folder.resolve("audit.log");
  }

  private SluiceProcess run(Path configuration) {
    SluiceProcess run = SluiceProcess.start("run", "--config", configuration.toString());
    port =
        Integer.parseInt(run.awaitLine("Sluice listens at wss://127.0.0.1:(\\d+)/ws.*").group(1));
    adminPort =
        Integer.parseInt(run.awaitLine("admin: http://127.0.0.1:(\\d+)/health/ready.*").group(1));
    return run;
  }

  /** A token of this key, like no other one. */
  private String token(TestKey key, String what, long seconds) {
    JwtClaims claims = claims();
    claims.setJwtId("id-" + ++tokens);
    claims.setExpirationTime(inSeconds(seconds));
    return secrets.keep("token " + tokens + ", " + what, key.sign(claims));
  }

  private RawWebSocket.Request request(String path) {
    return RawWebSocket.to("127.0.0.1", port, path).tls(authority.trust());
  }

  /** Shows a token in every way that there is, and keeps what is answered. */
  private void showByAllCarriers(String token) {
    String connect = "{\"type\":\"connect\",\"token\":\"" + token + "\"}";
    String encoded = Base64.getUrlEncoder().withoutPadding().encodeToString(token.getBytes(UTF_8));
    talk(request("/ws"), connect);
    talk(request("/ws").set("Authorization", "Bearer " + token), "{\"type\":\"connect\"}");
    talk(request("/ws").set("Cookie", "a=b; session=" + token), "{\"type\":\"connect\"}");
    talk(
        request("/ws").subprotocols(Encoding.JSON_SUBPROTOCOL, "sluice.bearer." + encoded),
        "{\"type\":\"connect\"}");
    talk(request("/ws?token=" + token), "{\"type\":\"connect\"}");
    stream("", connect);
    stream("?token=" + token, "{\"type\":\"connect\"}");
    attempt(request("/nowhere?token=" + token));
    attempt(request("/ws?token=" + token).without("Upgrade"));
    attempt(request("/ws?token=" + token).set("Origin", "https://theirs.example"));
    attempt(request("/ws").set("Authorization", "Bearer " + token + " " + token));
    talk(request("/ws"), connect.substring(0, connect.length() - 1));
    talk(request("/ws"), connect.replace("token", "tokenn"));
  }

  private void talk(RawWebSocket.Request request, String connect) {
    try (RawWebSocket client = request.attempt()) {
      answers.append(client.status()).append('\n');
      if (client.status() != 101) {
        answers.append(client.body()).append('\n');
        return;
      }
      client.text(connect);
      client.text("{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"prices.eur\"}");
      client.text("{\"type\":\"publish\",\"ref\":2,\"topic\":\"prices.eur\",\"payload\":\"x\"}");
      client.sendClose(1000, "");
      read(client);
    }
  }

  private void read(RawWebSocket client) {
    for (ServerFrame frame = client.readFrame(); frame != null; frame = client.readFrame()) {
      answers.append(frame.text()).append('\n');
    }
  }

  // A stream that is served does not end by itself.
  private void stream(String query, String connect) {
    String frames = connect + "\n{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"prices.eur\"}";
    try (RawWebSocket client = request("/").post(query, frames.getBytes(UTF_8)).attempt()) {
      answers.append(client.status()).append(' ').append(client.body()).append('\n');
      ServerFrame frame = client.status() == 200 ? client.readFrame() : null;
      while (frame != null && !frame.text().contains("\"subscribed\"")) {
        answers.append(frame.text()).append('\n');
        frame = client.readFrame();
      }
    }
  }

  private void attempt(RawWebSocket.Request request) {
    try (RawWebSocket client = request.attempt()) {
      answers.append(client.status()).append(' ').append(client.body()).append('\n');
    }
  }

  private String admin(String path, String token, String body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + adminPort + path))
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json");
    try {
      return http.send(
              (body == null ? request.GET() : request.POST(BodyPublishers.ofString(body))).build(),
              BodyHandlers.ofString())
          .body();
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  private void command() {
    for (String page : PAGES) {
      answers.append(admin(page, operator, null)).append('\n');
      answers.append(admin(page, secrets.make("a wrong admin token"), null)).append('\n');
    }
    answers.append(admin("/revocations", operator, "{\"token\":\"id-1\"}")).append('\n');
    answers.append(admin("/revocations", operator, "{\"token\":7}")).append('\n');
  }

  private static void awaitLogged(SluiceProcess run, String event) {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> run.errors().stream().anyMatch(line -> line.contains(event)));
  }

  private void assertToldNothing(SluiceProcess run) throws IOException {
    run.sigterm();
    assertThat(run.exitCode()).isZero();
    assertThat(run.errors()).as("the log").anyMatch(line -> line.contains(" DEBUG "));
    assertThat(secrets.in(String.join("\n", run.errors()))).as("the log").isEmpty();
    assertThat(secrets.in(String.join("\n", run.output()))).as("standard output").isEmpty();
    assertThat(secrets.in(Files.readString(audit()))).as("the audit log").isEmpty();
    assertThat(secrets.in(answers.toString())).as("responses to clients").isEmpty();
  }

  @Test
  void shouldNotDiscloseCredentials() throws IOException {
    checkCredentials("artemis");
  }

  @Tag("full")
  @Test
  void shouldNotDiscloseCredentialsWithClassic() throws IOException {
    checkCredentials("classic");
  }

  private void checkCredentials(String provider) throws IOException {
    String password = secrets.make("broker.password");
    try (TestBroker broker = broker(provider, password);
        SluiceProcess run = run(configuration(broker, password))) {
      awaitLogged(run, "broker.connected");
      String right = token(KEY, "right", 3600);
      showByAllCarriers(right);
      showByAllCarriers(token(STRANGER, "of a stranger", 3600));
      showByAllCarriers(token(KEY, "expired", -60));
      showByAllCarriers(secrets.make("opaque"));
      issuer.status(500);
      showByAllCarriers(secrets.make("opaque and unknown"));
      showByAllCarriers(secrets.make("too long").repeat(200));
      command();
      showByAllCarriers(right);
      assertThat(answers).contains("hello", "withdrawn", "expired");
      assertThat(Files.readString(audit())).contains("connected", "revoked", "unavailable");
      assertToldNothing(run);
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldNotDiscloseAPasswordThatTheBrokerRejects(String provider) throws IOException {
    try (TestBroker broker = broker(provider, secrets.make("the right password"));
        SluiceProcess run = run(configuration(broker, secrets.make("broker.password")))) {
      awaitLogged(run, "broker.unreachable");
      command();
      assertToldNothing(run);
    }
  }
}
