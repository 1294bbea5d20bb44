package io.sluice.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.Gauge;
import io.sluice.gateway.admin.AdminTokens.Unusable;
import io.sluice.gateway.admin.query.QueryOptions;
import io.sluice.gateway.auth.TestAccess;
import io.sluice.gateway.auth.UnusableAuth;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.hub.ScriptedQueues;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.testkit.PrometheusText;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(180)
class AdminServerIT {
  private static final Config CONFIG =
      Config.defaults().with(AuthSettings.ANONYMOUS, true).with(AdminSettings.PORT, 0);

  private final List<String> reasons = new CopyOnWriteArrayList<>();
  private final AtomicReference<String> waiting = new AtomicReference<>("");
  private final HttpClient http = HttpClient.newHttpClient();
  private final Exposition exposition = new Exposition("admin-it");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final AdminServer server = server(CONFIG);

  private AdminServer server(Config config) {
    try {
      return new AdminServer(
          AdminOptions.of(config),
          AdminTokens.read(AdminOptions.of(config)),
          null,
          exposition,
          () -> reasons,
          TestAccess.open(config),
          new NoClients(),
          new ScriptedQueues(),
          new NoCluster(),
          new NoFigures("alone", waiting::get),
          QueryOptions.of(config),
          List::of,
          new NoFile());
    } catch (Unusable | UnusableAuth e) {
      throw new AssertionError(e);
    }
  }

  @BeforeEach
  void start() throws Exception {
    await(server.start());
  }

  @AfterEach
  void stop() throws Exception {
    await(server.close());
    metrics.close();
    exposition.close();
  }

  @Test
  void shouldBeLive() throws Exception {
    HttpResponse<String> response = get("/health/live");

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEqualTo("{\"status\":\"live\"}");
  }

  @Test
  void shouldBeReadyWithoutReasons() throws Exception {
    HttpResponse<String> response = get("/health/ready");

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEqualTo("{\"status\":\"ready\"}");
    assertThat(header(response, "content-type")).isEqualTo("application/json");
  }

  @Test
  void shouldStateThatTopicsWaitWhileReady() throws Exception {
    waiting.set("kafka: 1 topic waits");
    HttpResponse<String> response = get("/health/ready");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body())
        .isEqualTo("{\"status\":\"ready\",\"waiting\":\"kafka: 1 topic waits\"}");
  }

  @Test
  void shouldNameTheReasonsWhenNotReady() throws Exception {
    reasons.add("broker: not connected");
    reasons.add("odd \"quotes\"");

    HttpResponse<String> response = get("/health/ready");

    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.body())
        .isEqualTo(
            "{\"status\":\"not-ready\",\"reasons\":[\"broker: not connected\",\"odd"
                + " \\\"quotes\\\"\"]}");
    reasons.clear();
    assertThat(get("/health/ready").statusCode()).isEqualTo(200);
  }

  @Test
  void shouldBeLiveWhileNotReady() throws Exception {
    reasons.add("draining");

    assertThat(get("/health/live").statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @EnumSource(AdminRoute.class)
  void shouldRefuseUnknownParametersOfChanges(AdminRoute route) throws Exception {
    String path = route.path().replaceAll("[{}]", "") + "?dry-run=true";
    for (HttpMethod method : route.methods()) {
      if (!List.of(HttpMethod.GET, HttpMethod.HEAD).contains(method)) {
        HttpResponse<String> response =
            send(request(path).method(method.name(), BodyPublishers.noBody()));

        assertThat(response.statusCode()).as("%s %s", method, path).isEqualTo(400);
        assertThat(response.body()).startsWith("unknown parameter \"dry-run\"; ");
      }
    }
  }

  @Test
  void shouldNameTheParametersOfReload() throws Exception {
    HttpResponse<String> response =
        send(request("/reload?dryrun=true&dryRun=true").POST(BodyPublishers.noBody()));

    assertThat(response.body()).isEqualTo("unknown parameter \"dryrun\"; known are dryRun\n");
  }

  @Test
  void shouldShowMetricsAsPrometheusText() throws Exception {
    metrics.connectionOpened();

    HttpResponse<String> response = get("/metrics");

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(header(response, "content-type"))
        .isEqualTo("text/plain; version=0.0.4; charset=utf-8");
    assertThat(PrometheusText.read(response.body()).get("sluice_connections").samples())
        .containsEntry("sluice_connections", 1.0);
  }

  @Test
  void shouldShowMetricsAsOpenMetricsWhereAccepted() throws Exception {
    String accept = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5";

    HttpResponse<String> response = send(request("/metrics?name=x").GET().header("Accept", accept));

    assertThat(header(response, "content-type")).startsWith("application/openmetrics-text");
    assertThat(response.body()).endsWith("# EOF\n");
  }

  @Test
  void shouldAnswerHeadWithoutBody() throws Exception {
    for (String path : List.of("/health/live", "/health/ready", "/metrics")) {
      HttpResponse<String> response = send(request(path).method("HEAD", BodyPublishers.noBody()));

      assertThat(response.statusCode()).as(path).isEqualTo(200);
      assertThat(response.body()).isEmpty();
      assertThat(Integer.parseInt(header(response, "content-length"))).isPositive();
    }
  }

  @Test
  void shouldRefuseOtherMethods() throws Exception {
    HttpResponse<String> response =
        send(request("/metrics").POST(BodyPublishers.ofString("x".repeat(100_000))));

    assertThat(response.statusCode()).isEqualTo(405);
    assertThat(header(response, "allow")).isEqualTo("GET, HEAD");
    assertThat(response.body().lines()).hasSize(1);
  }

  @Test
  void shouldNotFindOtherPages() throws Exception {
    for (String path : List.of("/", "/health", "/health/live/", "/metrics/x", "/..//metrics")) {
      HttpResponse<String> response = get(path);

      assertThat(response.statusCode()).as(path).isEqualTo(404);
      assertThat(response.body().lines()).hasSize(1);
    }
  }

  @Test
  void shouldSurviveBytesThatAreNotHttp() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket
          .getOutputStream()
          .write("\u0000\u0001garbage\r\n\r\n".getBytes(StandardCharsets.UTF_8));
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .matches("(?s)HTTP/1\\.[01] 400 .*");
    }
    assertThat(get("/health/live").statusCode()).isEqualTo(200);
  }

  @Test
  void shouldBeLiveAndRefuseFurtherScrapesWhileScrapesHang() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    Gauge.builder("hanging", released, AdminServerIT::hang).register(exposition.registry());
    List<CompletableFuture<HttpResponse<String>>> scrapes = new ArrayList<>();
    for (int i = 0; i <= AdminServer.MAX_SCRAPES; i++) {
      scrapes.add(http.sendAsync(request("/metrics").GET().build(), BodyHandlers.ofString()));
    }

    HttpResponse<?> first =
        (HttpResponse<?>)
            CompletableFuture.anyOf(scrapes.toArray(CompletableFuture[]::new))
                .get(120, TimeUnit.SECONDS);
    assertThat(first.statusCode()).isEqualTo(503);
    assertThat(get("/health/live").statusCode()).isEqualTo(200);
    released.countDown();
    List<Integer> codes = new ArrayList<>();
    for (CompletableFuture<HttpResponse<String>> scrape : scrapes) {
      codes.add(scrape.get(120, TimeUnit.SECONDS).statusCode());
    }
    assertThat(codes).containsOnlyOnce(503).containsOnly(200, 503);
  }

  private static double hang(CountDownLatch released) {
    try {
      return released.await(120, TimeUnit.SECONDS) ? 1 : 0;
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted while the scrape hung", e);
    }
  }

  @Test
  void shouldNameAddressAndKeysWhenItCannotListen() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      Config config = CONFIG.with(AdminSettings.PORT, port);
      AdminServer second = server(config);

      assertThatThrownBy(() -> await(second.start()))
          .hasRootCauseInstanceOf(IOException.class)
          .hasStackTraceContaining("cannot listen on 127.0.0.1:" + port)
          .hasStackTraceContaining("admin.port");
      await(second.close());
    }
  }

  @Test
  void shouldRefuseConnectionsOnceClosed() throws Exception {
    int port = server.port();
    await(server.close());

    assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port))
        .isInstanceOf(IOException.class);
  }

  private HttpResponse<String> get(String path) throws Exception {
    return send(request(path).GET());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
        .timeout(Duration.ofSeconds(30));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return AdminOpenApi.checked(http.send(request.build(), BodyHandlers.ofString()));
  }

  private static String header(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElseThrow();
  }

  private static void await(Future<?> future) throws Exception {
    future.toCompletionStage().toCompletableFuture().get(120, TimeUnit.SECONDS);
  }
}
