package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.SluiceProcess;
import io.sluice.testkit.TestBroker;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Reloads of a running node's configuration file. */
@Timeout(180)
final class ReloadIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;
  private TestBroker broker;
  private SluiceProcess node;
  private int port;
  private URI admin;

  @BeforeEach
  void start() throws IOException {
    broker = TestBroker.start("artemis");
    write("prices.>", "");
    node =
        SluiceProcess.start(
            "run",
            "--config",
            file().toString(),
            "--anonymous",
            "--port",
            "0",
            "--admin-port",
            "0");
    port = Integer.parseInt(node.awaitLine("Sluice listens at ws://localhost:(\\d+)/ws").group(1));
    admin = URI.create(node.awaitLine("admin: (http://127.0.0.1:\\d+)/health/ready").group(1));
    SluiceProcess.awaitStatus(admin + "/health/ready", 200);
  }

  @AfterEach
  void stop() throws Exception {
    node.close();
    broker.close();
  }

  private Path file() {
    return folder.resolve("sluice.yaml");
  }

  private void write(String granted, String further) throws IOException {
    Path next =
        Files.writeString(
            folder.resolve("next.yaml"),
            """
            broker.url: %s
            broker.linger: 100ms
            permissions.rules:
              - subscribe: ["%s"]
            %s
            """
                .formatted(broker.url(), granted, further));
    Files.move(next, file(), StandardCopyOption.ATOMIC_MOVE);
  }

  private RawWebSocket client() {
    return RawWebSocket.to("127.0.0.1", port, "/ws").open();
  }

  private HttpResponse<String> post() throws Exception {
    return post("");
  }

  private HttpResponse<String> post(String token) throws Exception {
    return post(token, "");
  }

  private HttpResponse<String> post(String token, String query) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(admin.resolve("/reload" + query)).POST(BodyPublishers.noBody());
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
  }

  private static JsonNode changes(HttpResponse<String> answer) throws Exception {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  /** Waits until the node subscribes at the broker to exactly these topics and patterns. */
  private void awaitTopics(String... names) {
    await()
        .atMost(Duration.ofMinutes(2))
        .untilAsserted(
            () ->
                assertThat(
                        JSON.readTree(SluiceProcess.get(admin + "/topics?kind=all").body())
                            .findValuesAsText("topic"))
                    .containsExactlyInAnyOrder(names));
  }

  private void awaitLog(String pattern) {
    await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> node.errors().stream().anyMatch(line -> line.matches(pattern)));
  }

  @Tag("full")
  @Test
  void shouldEndSubscriptionsThatAreNoLongerGranted() throws Exception {
    try (RawWebSocket client = client()) {
      client.subscribe(1, "prices.a");
      client.subscribe(2, "prices.b");
      write("prices.b", "");

      node.signal("HUP");

      JsonNode error = client.await("error");
      assertThat(error.get("code").asText()).isEqualTo("forbidden");
      assertThat(error.get("topic").asText()).isEqualTo("prices.a");
      await("the reload is logged")
          .until(
              () ->
                  node.errors().stream()
                      .anyMatch(
                          line -> line.matches(".*config\\.reloaded .*permissions\\.rules.*")));
      client.text("{\"type\":\"subscribe\",\"ref\":3,\"topic\":\"prices.b\"}");
      assertThat(client.await("error").get("code").asText()).isEqualTo("already-subscribed");
    }
  }

  @Tag("full")
  @Test
  void shouldListWhatSessionsWouldLoseAndChangeNothing() throws Exception {
    try (RawWebSocket client = client();
        RawWebSocket other = client()) {
      client.subscribe(1, "prices.a");
      other.subscribe(1, "prices.b");
      write("prices.b", "log.level: debug");

      JsonNode preview = changes(post("", "?dryRun=true"));

      assertThat(preview.get("applied").toString())
          .isEqualTo("[\"log.level\",\"permissions.rules\"]");
      assertThat(preview.get("losing").asInt()).isEqualTo(2);
      assertThat(preview.get("claims")).isEmpty();
      assertThat(preview.findValuesAsText("mechanism")).containsOnly("anonymous");
      assertThat(preview.get("sessions"))
          .allMatch(each -> each.at("/lost/subscribe/0").asText().equals("prices.>"));
      assertThat(preview.findValues("ends").toString())
          .contains("[\"subscribe prices.a\"]", "[]")
          .doesNotContain("prices.b");
      client.subscribe(2, "prices.c");
      assertThat(post("", "?dryRun=perhaps").statusCode()).isEqualTo(400);

      changes(post());

      assertThat(List.of(client.await("error"), client.await("error"))) // in any order
          .extracting(error -> error.get("topic").asText())
          .containsExactlyInAnyOrder("prices.a", "prices.c");
    }
  }

  @Tag("full")
  @Test
  void shouldChangeNothingIfTheFileHasAProblem() throws Exception {
    write("news.>", "limits.subscriptions: none");

    HttpResponse<String> answer = post();

    assertThat(answer.statusCode()).isEqualTo(422);
    assertThat(JSON.readTree(answer.body()).get("problems"))
        .singleElement()
        .extracting(JsonNode::asText)
        .asString()
        .startsWith(file() + ":5:23: limits.subscriptions: \"none\"");
    try (RawWebSocket client = client()) {
      client.subscribe(1, "prices.a");
    }
  }

  @Tag("full")
  @Test
  void shouldListChangedKeysThatApplyAndThatNeedARestart() throws Exception {
    write(
        "prices.>",
        "log.level: debug\nlog.levels: {io.sluice.gateway.hub: warn}\nlimits.subscriptions: 1\n"
            + "timeouts.drain: 7s");

    JsonNode changes = JSON.readTree(post().body());

    assertThat(changes.get("applied").toString())
        .isEqualTo("[\"log.level\",\"log.levels\",\"limits.subscriptions\"]");
    assertThat(changes.get("restart").toString()).isEqualTo("[\"timeouts.drain\"]");
    try (RawWebSocket client = client()) {
      client.subscribe(1, "prices.a");
      client.text("{\"type\":\"subscribe\",\"ref\":2,\"topic\":\"prices.b\"}");
      assertThat(client.await("error").get("message").asText())
          .isEqualTo("limit of 1 subscriptions per client reached");
    }
  }

  @Tag("full")
  @Test
  void shouldApplyQuotasAndServedTopics() throws Exception {
    write("prices.>", "limits.per-address.connections: 2");
    post();
    try (RawWebSocket first = client();
        RawWebSocket second = client()) {
      first.subscribe(1, "prices.a");
      first.subscribe(2, "prices.b");
      second.subscribe(1, "prices.b");
      assertThat(RawWebSocket.to("127.0.0.1", port, "/ws").attempt().status()).isEqualTo(429);
      write("prices.>", "limits.per-address.connections: 3\nsubscribe.topics: [prices.b]");

      JsonNode changes = JSON.readTree(post().body());

      assertThat(changes.get("applied").toString())
          .isEqualTo("[\"subscribe.topics\",\"limits.per-address.connections\"]");
      assertThat(changes.get("restart")).isEmpty();
      JsonNode error = first.await("error");
      assertThat(error.get("topic").asText()).isEqualTo("prices.a");
      assertThat(error.get("message").asText())
          .isEqualTo("topic is not served by this node: \"prices.a\"");
      client().close();
    }
  }

  @Tag("full")
  @Test
  void shouldSubscribeAddedWarmPatternsAndCloseRemovedOnes() throws Exception {
    write("prices.>", "history.warm: [prices.>]");

    JsonNode changes = changes(post());

    assertThat(changes.get("applied").toString()).isEqualTo("[\"history.warm\"]");
    assertThat(changes.get("restart")).isEmpty();
    awaitTopics("prices.>");
    write("prices.>", "history.warm: [news.>]");
    node.signal("HUP");
    awaitLog(".*config\\.reloaded .*history\\.warm.*");
    awaitTopics("news.>");
  }

  @Tag("full")
  @Test
  void shouldKeepARemovedWarmPatternWhileClientsUseIt() throws Exception {
    write("prices.>", "history.warm: [prices.>]");
    post();
    awaitTopics("prices.>");
    try (RawWebSocket client = client()) {
      client.subscribe(1, "prices.a");
      write("prices.>", "");
      assertThat(changes(post()).get("applied").toString()).isEqualTo("[\"history.warm\"]");
      client.subscribe(2, "prices.b");
      awaitTopics("prices.>", "prices.a", "prices.b");
    }
    awaitTopics();
  }

  @Tag("full")
  @Test
  void shouldExplainWhyDurablePatternsNeedARestart() throws Exception {
    write(
        "prices.>",
        "broker.durable: [prices.a]\nbroker.client-id: node-1\njournal.folder: "
            + folder.resolve("journal"));

    JsonNode changes = changes(post());

    assertThat(changes.get("applied")).isEmpty();
    assertThat(changes.get("restart").toString()).contains("\"broker.durable\"");
    assertThat(changes.at("/reasons/broker.durable").asText()).contains("would cause gaps");
    node.signal("HUP");
    awaitLog(".*config\\.reloaded .*broker\\.durable.*would cause gaps.*");
  }

  @Tag("full")
  @Test
  void shouldApplyAChangedTokenAndEndOldConnections() throws Exception {
    String former = "token-of-last-year";
    String fresh = "token-of-this-year";
    write("prices.>", "admin.token: " + former);
    assertThat(changes(post()).get("applied").toString()).isEqualTo("[\"admin.token\"]");
    assertThat(post().statusCode()).isEqualTo(401);
    try (RawWebSocket client = client()) {
      client.subscribe(1, "prices.a");
      CompletableFuture<String> tail = tail("prices.a", former);
      write("prices.>", "admin.token: " + fresh);

      assertThat(changes(post(former)).get("applied").toString()).isEqualTo("[\"admin.token\"]");

      assertThat(tail.get(120, TimeUnit.SECONDS))
          .endsWith(
              "event: end\ndata: {\"reason\":\"a token of operators is no longer valid\"}\n\n");
      assertThat(post(former).statusCode()).isEqualTo(401);
      assertThat(changes(post(fresh)).get("applied")).isEmpty();
    }
  }

  @Tag("full")
  @Test
  void shouldRecordReloadsInTheAuditLog() throws Exception {
    write("prices.>", "limits.subscriptions: 1\ntimeouts.drain: 7s");
    post();
    write("prices.>", "limits.subscriptions: none");
    post();
    write("prices.>", "limits.subscriptions: 2\ntimeouts.drain: 7s");
    node.signal("HUP");

    await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> assertThat(records()).hasSize(3));

    JsonNode signal = records().get(0);
    assertThat(signal.get("value").asText())
        .isEqualTo("applied limits.subscriptions; restart timeouts.drain");
    assertThat(signal.get("with").asText()).isEqualTo("SIGHUP");
    assertThat(signal.has("by")).isFalse();
    JsonNode rejected = records().get(1);
    assertThat(rejected.get("why").asText())
        .startsWith(file() + ":5:23: limits.subscriptions: \"none\"");
    assertThat(rejected.get("by").asText()).isEqualTo("127.0.0.1");
    JsonNode first = records().get(2);
    assertThat(first.get("value").asText())
        .isEqualTo("applied limits.subscriptions; restart timeouts.drain");
    assertThat(first.has("why")).isFalse();
  }

  /** Returns the audit records of reloads, the latest first. */
  private List<JsonNode> records() throws Exception {
    JsonNode all = JSON.readTree(SluiceProcess.get(admin + "/audit?kind=commanded").body());
    return StreamSupport.stream(all.get("records").spliterator(), false)
        .filter(record -> record.get("what").asText().equals("reload"))
        .toList();
  }

  /** Opens a stream of messages; returns its text at its end. */
  private CompletableFuture<String> tail(String topic, String token) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(admin.resolve("/topics/" + topic + "/tail"))
            .header("Authorization", "Bearer " + token)
            .build();
    HttpResponse<InputStream> tail =
        HttpClient.newHttpClient().send(request, BodyHandlers.ofInputStream());
    assertThat(tail.statusCode()).isEqualTo(200);
    return CompletableFuture.supplyAsync(() -> text(tail.body()));
  }

  private static String text(InputStream stream) {
    try (stream) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
