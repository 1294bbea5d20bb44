package io.sluice.gateway.admin.alerts;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Alerts of an HTTP server whose responses the tests determine. */
@Timeout(60)
final class AlertsTest {
  private static final String EMPTY = "{\"status\":\"success\",\"data\":{\"alerts\":[]}}";

  private final Vertx vertx = Vertx.vertx();
  private final Context context = vertx.getOrCreateContext();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private volatile int status = 200;
  private volatile String body = EMPTY;
  private HttpServer server;
  private String prometheus;

  @TempDir private Path folder;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String token = exchange.getRequestHeaders().getFirst("Authorization");
          requests.add(exchange.getRequestURI() + " " + token);
          byte[] bytes = body.getBytes(UTF_8);
          exchange.sendResponseHeaders(status, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    server.start();
    prometheus = "http://127.0.0.1:" + server.getAddress().getPort() + "/prometheus/";
  }

  @AfterEach
  void stop() {
    server.stop(0);
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private Config config() {
    return Config.defaults()
        .with(AdminSettings.ALERTS_URL, prometheus)
        .with(AdminSettings.ALERTS_CACHED, Duration.ZERO);
  }

  private Alerts alerts(Config config) {
    return new Alerts(vertx, AlertOptions.of(config));
  }

  private JsonObject read(Alerts alerts) {
    CompletableFuture<JsonObject> read = new CompletableFuture<>();
    context.runOnContext(
        now -> alerts.read().onComplete(read::complete, read::completeExceptionally));
    return read.join();
  }

  private static JsonObject alert(String name, String state, String severity) {
    return new JsonObject()
        .put(
            "labels",
            new JsonObject().put("alertname", name).put("severity", severity).put("pod", "gw-1"))
        .put("annotations", new JsonObject().put("summary", "Summary of " + name))
        .put("state", state)
        .put("activeAt", "2026-11-27T18:00:00.5Z")
        .put("value", "1e+00");
  }

  private void respondWith(JsonObject... alerts) {
    JsonObject data = new JsonObject().put("alerts", new JsonArray(List.of(alerts)));
    body = new JsonObject().put("status", "success").put("data", data).encode();
  }

  @Test
  void shouldReturnFiringAlertsOfSluiceCriticalOnesFirst() {
    respondWith(
        alert("SluiceIngressLag", "firing", "warning"),
        alert("SluiceOverloaded", "firing", "critical"),
        alert("SluiceGapsTold", "pending", "warning"),
        alert("NodeFilesystemFull", "firing", "critical"));
    JsonObject read = read(alerts(config()));
    assertThat(requests).containsExactly("/prometheus/api/v1/alerts null");
    assertThat(read.getBoolean("configured")).isTrue();
    assertThat(read.containsKey("unknown")).isFalse();
    assertThat(read.getInteger("total")).isEqualTo(2);
    JsonArray alerts = read.getJsonArray("alerts");
    JsonObject first = alerts.getJsonObject(0);
    assertThat(first.getString("name")).isEqualTo("SluiceOverloaded");
    assertThat(first.getString("severity")).isEqualTo("critical");
    assertThat(first.getLong("since")).isEqualTo(1_795_802_400_500L);
    assertThat(first.getString("summary")).isEqualTo("Summary of SluiceOverloaded");
    assertThat(first.getJsonObject("labels").getMap()).isEqualTo(Map.of("pod", "gw-1"));
    assertThat(alerts.getJsonObject(1).getString("name")).isEqualTo("SluiceIngressLag");
  }

  @Test
  void shouldBoundTheNumberOfAlerts() {
    JsonObject[] many = new JsonObject[Alerts.MAX_ALERTS + 1];
    for (int i = 0; i < many.length; i++) {
      many[i] = alert("Sluice" + i, "firing", "warning");
    }
    respondWith(many);
    JsonObject read = read(alerts(config()));
    assertThat(read.getJsonArray("alerts")).hasSize(Alerts.MAX_ALERTS);
    assertThat(read.getInteger("total")).isEqualTo(many.length);
  }

  @Test
  void shouldSendTheCurrentToken() throws IOException {
    Path file = Files.writeString(folder.resolve("token"), "first\n");
    Alerts alerts = alerts(config().with(AdminSettings.ALERTS_TOKEN_FILE, file.toString()));
    read(alerts);
    Files.writeString(file, "second\n");
    read(alerts);
    assertThat(requests)
        .containsExactly(
            "/prometheus/api/v1/alerts Bearer first", "/prometheus/api/v1/alerts Bearer second");
    Files.delete(file);
    assertThat(read(alerts).getString("unknown"))
        .isEqualTo("admin.alerts-token-file: " + file + " does not exist");
  }

  @Test
  void shouldReturnTheReasonWhyTheAlertsAreUnknown() throws IOException {
    body = "";
    status = 503;
    assertUnknown(config(), named("status 503"));
    body = "{\"status\":\"error\",\"errorType\":\"unavailable\",\"error\":\"not ready\"}";
    assertUnknown(config(), named("status 503: not ready"));
    body = "Service Unavailable\nmore";
    assertUnknown(config(), named("status 503: Service Unavailable"));
    body = "<html>";
    assertUnknown(config(), named("status 503"));
    status = 200;
    String unexpected = named("the response is not that of Prometheus' /api/v1/alerts");
    assertUnknown(config(), unexpected);
    body = "{}";
    assertUnknown(config(), unexpected);
    respondWith(alert("SluiceGone", "firing", "critical").put("activeAt", "yesterday"));
    assertUnknown(config(), unexpected);
    assertUnknown(
        config().with(AdminSettings.ALERTS_BYTES, 20L),
        named("response exceeds the limit of 20 B"));
    prometheus = "http://127.0.0.1:1/";
    assertUnknown(config(), named("connection refused"));
  }

  @Test
  void shouldNameTheTokenFileOfAMissingAuthorization() throws IOException {
    body = "Unauthorized\n";
    status = 401;
    assertUnknown(config(), named("status 401: Unauthorized; set admin.alerts-token-file"));
    Path file = Files.writeString(folder.resolve("token"), "secret\n");
    status = 403;
    assertUnknown(
        config().with(AdminSettings.ALERTS_TOKEN_FILE, file.toString()),
        named("status 403: Unauthorized; check the token of admin.alerts-token-file"));
  }

  private String named(String problem) {
    return "admin.alerts-url " + prometheus + "api/v1/alerts: " + problem;
  }

  @Test
  void shouldNotWaitForAPrometheusThatDoesNotRespond() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String url = "http://127.0.0.1:" + silent.getLocalPort();
      Config config =
          config()
              .with(AdminSettings.ALERTS_URL, url)
              .with(AdminSettings.ALERTS_TIMEOUT, Duration.ofMillis(200));
      assertUnknown(
          config, "admin.alerts-url " + url + "/api/v1/alerts: no response within 200 ms");
    }
  }

  private void assertUnknown(Config config, String reason) {
    JsonObject read = read(alerts(config));
    assertThat(read.getString("unknown")).isEqualTo(reason);
    assertThat(read.getJsonArray("alerts")).isEmpty();
  }

  @Test
  void shouldShareAResponseForSomeSeconds() {
    Alerts alerts = alerts(config().with(AdminSettings.ALERTS_CACHED, Duration.ofHours(1)));
    JsonObject first = read(alerts);
    assertThat(read(alerts)).isSameAs(first);
    assertThat(requests).hasSize(1);
  }

  @Test
  void shouldReturnThatNoPrometheusIsConfigured() {
    JsonObject read = read(alerts(Config.defaults()));
    assertThat(read.getBoolean("configured")).isFalse();
    assertThat(read.getJsonArray("alerts")).isEmpty();
    assertThat(requests).isEmpty();
  }
}
