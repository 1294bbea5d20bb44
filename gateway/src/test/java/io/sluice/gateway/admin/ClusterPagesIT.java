package io.sluice.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.RawWebSocket;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cluster pages of a real node that belongs to no cluster. */
@Timeout(180)
final class ClusterPagesIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TYPE = "application/json";

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @TempDir private Path folder;
  private TestNode node;

  private Config config() {
    return TestNode.config("artemis", "tcp://127.0.0.1:1")
        .with(TimeoutSettings.DRAIN, Duration.ofSeconds(30))
        .with(AdminSettings.AUDIT_FILE, audit().toString());
  }

  @BeforeEach
  void start() {
    node = TestNode.start(config());
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private Path audit() {
    return folder.resolve("audit.log");
  }

  private HttpResponse<String> send(String method, String path, String type, String body)
      throws Exception {
    return send(method, path, type, BodyPublishers.ofString(body));
  }

  private HttpResponse<String> send(
      String method, String path, String type, HttpRequest.BodyPublisher body) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + node.gateway().adminPort() + path);
    HttpRequest request =
        HttpRequest.newBuilder(uri).header("Content-Type", type).method(method, body).build();
    return AdminOpenApi.checked(http.send(request, BodyHandlers.ofString()));
  }

  private HttpResponse<String> post(String path) throws Exception {
    return send("POST", path, TYPE, "{}");
  }

  private JsonNode list() throws IOException {
    return JSON.readTree(node.admin("/cluster").body());
  }

  private String state() throws IOException {
    return list().at("/nodes/0/state").asText();
  }

  @Test
  void shouldListOnlyItselfWithoutACluster() throws Exception {
    try (RawWebSocket client = node.json()) {
      client.text("{\"type\":\"connect\"}");
      client.await("hello");

      JsonNode list = list();

      assertThat(list.get("cluster").asText()).isEmpty();
      assertThat(list.get("node").asText()).isEqualTo("test-node");
      assertThat(list.get("nodes")).hasSize(1);
      JsonNode self = list.get("nodes").get(0);
      assertThat(self.get("name").asText()).isEqualTo("test-node");
      assertThat(self.get("state").asText()).isEqualTo("joining");
      assertThat(self.get("since").asLong()).isPositive();
      assertThat(self.get("version").asText()).isNotEmpty();
      assertThat(self.get("public-url").asText()).isEmpty();
      assertThat(self.get("admin-url").asText()).isEmpty();
      assertThat(self.at("/load/connections").asInt()).isEqualTo(1);
    }
  }

  @Tag("full")
  @Test
  void shouldRedirectItsClientsAndKeepRunning() throws Exception {
    try (RawWebSocket client = node.json()) {
      client.text("{\"type\":\"connect\"}");
      client.await("hello");

      HttpResponse<String> answer = post("/drain");

      assertThat(answer.statusCode()).isEqualTo(202);
      assertThat(answer.body())
          .isEqualTo("{\"node\":\"test-node\",\"state\":\"draining\",\"connections\":1}");
      client.await("draining");
      assertThat(node.admin("/health/ready").body()).contains("node: draining");
      assertThat(state()).isEqualTo("draining");
      client.sendClose(1000, "");
      await().until(() -> node.gateway().connections() == 0);
      assertThat(node.admin("/health/live").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void shouldDrainOnceDespiteRepeatedCommandsAndThenStopAtOnce() throws Exception {
    assertThat(post("/drain").statusCode()).isEqualTo(202);
    try (RawWebSocket late = node.request().attempt()) {
      assertThat(late.status()).as("before the answer, clients are refused").isEqualTo(503);
    }
    assertThat(post("/drain").statusCode()).isEqualTo(202);

    node.gateway().drainAndStop();

    assertThat(Files.readAllLines(audit()))
        .filteredOn(record -> record.contains("\"commanded\""))
        .singleElement()
        .asString()
        .contains("\"event\":\"commanded\",\"by\":\"127.0.0.1\",\"what\":\"drain\"");
  }

  @Tag("full")
  @Test
  void shouldWaitForARunningDrainWhenItStops() throws Exception {
    try (RawWebSocket client = node.json()) {
      client.text("{\"type\":\"connect\"}");
      client.await("hello");
      post("/drain");
      client.await("draining");
      Thread stop = new Thread(node.gateway()::drainAndStop);

      stop.start();
      await().until(() -> stop.getState() == Thread.State.TIMED_WAITING);
      client.text("{\"type\":\"ping\",\"ref\":1}");
      client.await("pong");
      client.sendClose(1000, "");

      stop.join(30_000);
      assertThat(stop.isAlive()).isFalse();
    }
  }

  @Test
  void shouldNotRebalanceWithoutACluster() throws Exception {
    HttpResponse<String> answer = post("/rebalance");

    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(answer.body()).contains("belongs to no cluster");
  }

  @ParameterizedTest
  @CsvSource({"GET,/drain,POST", "DELETE,/rebalance,POST", "POST,/cluster,'GET, HEAD'"})
  void shouldRefuseOtherMethods(String method, String path, String allowed) throws Exception {
    HttpResponse<String> answer = send(method, path, TYPE, "{}");

    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.headers().firstValue("Allow")).hasValue(allowed);
    assertThat(state()).isNotEqualTo("draining");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[]", "1", "null", "{", "{\"within\":1}", "{\"node\":1}"})
  void shouldRefuseBodiesWithUnknownMembers(String body) throws Exception {
    assertThat(send("POST", "/drain", TYPE, body).statusCode()).isEqualTo(400);
    assertThat(state()).isNotEqualTo("draining");
  }

  @Test
  void shouldRefuseCommandsForAnotherNode() throws Exception {
    HttpResponse<String> answer = send("POST", "/drain", TYPE, "{\"node\":\"gw-2\"}");
    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(answer.body()).contains("this is node test-node");
    assertThat(state()).isNotEqualTo("draining");

    assertThat(send("POST", "/drain", TYPE, "{\"node\":\"test-node\"}").statusCode())
        .isEqualTo(202);
    assertThat(state()).isEqualTo("draining");
  }

  @Test
  void shouldRefuseFormsAndLongBodies() throws Exception {
    assertThat(send("POST", "/drain", "text/plain", "{}").statusCode()).isEqualTo(415);
    assertThat(send("POST", "/drain", TYPE, " ".repeat(8_193)).statusCode()).isEqualTo(413);
    assertThat(state()).isNotEqualTo("draining");
  }

  @Test
  void shouldRefuseCommandsWithoutTheToken() throws Exception {
    node.close();
    node = TestNode.start(config(), AdminSettings.TOKEN, "0123456789abcdef");

    for (String path : new String[] {"/drain", "/rebalance"}) {
      assertThat(post(path).statusCode()).as(path).isEqualTo(401);
    }
    assertThat(node.admin("/health/ready").body()).doesNotContain("draining");
  }
}
