package io.sluice.gateway.admin;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.TestCluster;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestAuthority;
import io.sluice.testkit.TestAuthority.Issued;
import io.sluice.testkit.TestBroker;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Queries and commands between admin ports with TLS, whose authority is not that of the nodes. */
@Timeout(180)
final class AdminTlsClusterIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TOKEN = "0123456789abcdef";
  private static final String SAN = "SAN=ip:127.0.0.1";

  @TempDir private Path folder;

  private final List<Integer> ports = FreePorts.some(2);
  @AutoClose private final TestBroker broker = TestBroker.start("artemis");
  private final TestCluster cluster = new TestCluster("secured", broker, 2);
  private TestAuthority authority;
  private HttpClient http;

  @BeforeEach
  void createAuthority() {
    authority = TestAuthority.create(folder, "admin");
    http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .sslContext(authority.trust())
            .build();
  }

  private Config config(int node, Issued certificate) {
    return cluster
        .config(node)
        .with(AdminSettings.TOKEN, TOKEN)
        .with(AdminSettings.PORT, ports.get(node))
        .with(AdminSettings.TLS_CERTIFICATE, certificate.certificate().toString())
        .with(AdminSettings.TLS_KEY, certificate.key().toString())
        .with(AdminSettings.TLS_CA, authority.certificate().toString())
        .with(ClusterSettings.ADMIN_URL, url(node));
  }

  private String url(int node) {
    return "https://127.0.0.1:" + ports.get(node);
  }

  private Issued certificate(int node) {
    return authority.issue("node-" + node, "CN=node-" + node, SAN);
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(url(0) + path))
        .header("Authorization", "Bearer " + TOKEN);
  }

  private JsonNode send(HttpRequest request) throws Exception {
    return JSON.readTree(AdminOpenApi.checked(http.send(request, BodyHandlers.ofString())).body());
  }

  private JsonNode get(String path) throws Exception {
    return send(request(path).build());
  }

  /** Returns the clients when both nodes are named, in any state. */
  private JsonNode awaitClients() {
    return await()
        .atMost(90, SECONDS)
        .ignoreExceptions()
        .until(() -> get("/clients"), clients -> clients.get("nodes").size() == 2);
  }

  private void assertRefused(Issued other, String reason) {
    try (TestNode first = TestNode.start(config(0, certificate(0)));
        TestNode second = TestNode.start(config(1, other))) {
      assertThat(first.gateway().adminPort()).isNotEqualTo(second.gateway().adminPort());
      JsonNode clients = awaitClients();
      assertThat(clients.get("partial").asBoolean()).isTrue();
      assertThat(clients.at("/nodes/0/status").asText()).isEqualTo("ok");
      assertThat(clients.at("/nodes/1/node").asText()).isEqualTo("secured-1");
      assertThat(clients.at("/nodes/1/error").asText()).contains(url(1), reason);
    }
  }

  @Tag("full")
  @Test
  void shouldMergeAnswersAndForwardCommands() throws Exception {
    try (TestNode first = TestNode.start(config(0, certificate(0)));
        TestNode second = TestNode.start(config(1, certificate(1)));
        RawWebSocket here = first.json();
        RawWebSocket there = second.json()) {
      here.subscribe(1, "a");
      there.subscribe(1, "a");
      await()
          .atMost(90, SECONDS)
          .ignoreExceptions()
          .until(() -> get("/clients").get("total").asInt() == 2);
      JsonNode clients = awaitClients();
      assertThat(clients.get("partial").asBoolean()).isFalse();
      String session = "";
      for (JsonNode client : clients.get("clients")) {
        session = client.get("node").asText().equals("secured-1") ? text(client) : session;
      }
      HttpRequest disconnect =
          request("/clients/" + session + "/disconnect")
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString("{}"))
              .build();
      assertThat(send(disconnect).get("node").asText()).isEqualTo("secured-1");
      assertThat(there.awaitClose()).isEqualTo(4004);
      here.text("{\"type\":\"ping\",\"ref\":1}");
      here.await("pong");
    }
  }

  private static String text(JsonNode client) {
    return client.get("session").asText();
  }

  @Tag("full")
  @Test
  void shouldNameANodeWhoseCertificateIsOfAnotherAuthority() {
    TestAuthority other = TestAuthority.create(folder, "other");
    assertRefused(
        other.issue("node", "CN=node", SAN),
        "its certificate is not issued by an authority of admin.tls.ca");
  }

  @Tag("full")
  @Test
  void shouldNameANodeWhoseCertificateIsForAnotherHost() {
    assertRefused(
        authority.issue("moved", "CN=moved", "SAN=ip:192.0.2.1"),
        "its certificate is not accepted: No subject alternative");
  }
}
