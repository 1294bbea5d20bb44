package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.SluiceProcess;
import io.sluice.testkit.TestBroker;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Reloads of a running node's configuration file. */
@Timeout(120)
final class ReloadIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;
  private TestBroker broker;
  private SluiceProcess node;
  private int port;
  private URI reload;

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
    String admin = node.awaitLine("admin: (http://127.0.0.1:\\d+)/health/ready").group(1);
    reload = URI.create(admin + "/reload");
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
    HttpRequest request = HttpRequest.newBuilder(reload).POST(BodyPublishers.noBody()).build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
  }

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

  @Test
  void shouldChangeNothingIfTheFileHasAProblem() throws Exception {
    write("news.>", "limits.subscriptions: none");

    HttpResponse<String> answer = post();

    assertThat(answer.statusCode()).isEqualTo(422);
    assertThat(JSON.readTree(answer.body()).get("problems"))
        .singleElement()
        .extracting(JsonNode::asText)
        .asString()
        .startsWith(file() + ":4:23: limits.subscriptions: \"none\"");
    try (RawWebSocket client = client()) {
      client.subscribe(1, "prices.a");
    }
  }

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
}
