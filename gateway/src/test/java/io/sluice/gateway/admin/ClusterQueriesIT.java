package io.sluice.gateway.admin;

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
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Queries of a cluster of two nodes with a real broker. */
final class ClusterQueriesIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TOKEN = "0123456789abcdef";
  private static final Duration LONG = Duration.ofSeconds(60);

  private final List<Integer> ports = FreePorts.some(2);
  private TestBroker broker;
  private TestCluster cluster;
  private TestNode first;

  @BeforeEach
  void start() {
    broker = TestBroker.start("artemis");
    cluster = new TestCluster("queried", broker, 2);
    first = TestCluster.start(config(0));
  }

  @AfterEach
  void stop() {
    first.close();
    broker.close();
  }

  private Config config(int node) {
    return cluster
        .config(node)
        .with(AdminSettings.TOKEN, TOKEN)
        .with(AdminSettings.PORT, ports.get(node))
        .with(ClusterSettings.ADMIN_URL, "http://127.0.0.1:" + ports.get(node));
  }

  private TestNode startSecond(Config config) {
    TestNode second = TestCluster.start(config);
    await().atMost(LONG).until(() -> get("/topics").get("nodes").size() == 2);
    return second;
  }

  private JsonNode get(String path) {
    HttpResponse<String> response = AdminOpenApi.checked(first.admin(path));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    try {
      return JSON.readTree(response.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Asserts that a query lacks the answer of the second node, with one client at each node. */
  private void assertPartialWith(Config ofSecond, String status, String error) {
    try (TestNode second = startSecond(ofSecond);
        RawWebSocket here = first.json();
        RawWebSocket there = second.json()) {
      here.subscribe(1, "a");
      there.subscribe(1, "a");
      JsonNode clients = get("/clients");
      assertThat(clients.get("partial").asBoolean()).isTrue();
      assertThat(clients.at("/nodes/0/status").asText()).isEqualTo("ok");
      assertThat(clients.at("/nodes/1/node").asText()).isEqualTo("queried-1");
      assertThat(clients.at("/nodes/1/status").asText()).isEqualTo(status);
      assertThat(clients.at("/nodes/1/error").asText()).contains(error);
      assertThat(clients.get("clients").findValuesAsText("node")).containsOnly("queried-0");
    }
  }

  @Tag("full")
  @Test
  void shouldMergeTheAnswersOfAllNodes() throws Exception {
    try (TestNode second = startSecond(config(1));
        RawWebSocket here = first.json();
        RawWebSocket there = second.json();
        TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
      here.subscribe(1, "both");
      there.subscribe(1, "both");
      there.subscribe(2, "there");
      publisher.text("both", "x");
      here.await("message");
      there.await("message");
      await()
          .atMost(LONG)
          .untilAsserted(
              () -> {
                JsonNode topics = get("/topics?sort=subscribers");
                assertThat(topics.at("/topics/0/topic").asText()).isEqualTo("both");
                assertThat(topics.at("/topics/0/subscribers").asInt()).isEqualTo(2);
                assertThat(topics.at("/topics/0/log").asInt()).isEqualTo(1);
              });
      JsonNode topic = get("/topics/both");
      assertThat(topic.get("subscribers").asInt()).isEqualTo(2);
      assertThat(topic.get("interests").findValuesAsText("node"))
          .containsExactlyInAnyOrder("queried-0", "queried-1");
      assertThat(topic.get("subscriptions").findValuesAsText("node"))
          .containsExactlyInAnyOrder("queried-0", "queried-1");

      JsonNode clients = get("/clients?sort=subscriptions");
      assertThat(clients.get("total").asInt()).isEqualTo(2);
      assertThat(clients.get("partial").asBoolean()).isFalse();
      assertThat(clients.get("clients").findValuesAsText("node"))
          .containsExactly("queried-1", "queried-0");
      String remote = clients.at("/clients/0/session").asText();
      assertThat(get("/clients/" + remote).get("node").asText()).isEqualTo("queried-1");
      assertThat(get("/clients?scope=node").get("total").asInt()).isEqualTo(1);
      JsonNode overview = get("/overview");
      assertThat(overview.at("/cluster/clients").asInt()).isEqualTo(2);
      assertThat(overview.get("by-node").findValuesAsText("node"))
          .containsExactly("queried-0", "queried-1");
      JsonNode why = get("/why?subject=&topic=there");
      assertThat(why.findValuesAsText("node")).contains("queried-0", "queried-1");
      assertThat(why.get("answer").asText())
          .startsWith("problem in 2 of 2 sessions, queried-0-")
          .contains("interest: ");
    }
  }

  @Tag("full")
  @Test
  void shouldEndAndRedirectSessionsOfAnotherNode() throws Exception {
    try (TestNode second = startSecond(config(1).with(ClusterSettings.BALANCE_REDIRECT, false));
        RawWebSocket follower = second.json();
        RawWebSocket other = second.json()) {
      follower.text("{\"type\":\"connect\",\"redirect\":true}");
      follower.subscribe(1, "a");
      other.subscribe(1, "a");
      JsonNode clients = get("/clients");
      String moved = clients.at("/clients/0/session").asText();
      String ended = clients.at("/clients/1/session").asText();

      JsonNode redirect = post("/clients/" + moved + "/redirect");
      assertThat(redirect.get("done").asBoolean()).isTrue();
      assertThat(follower.await("redirect").get("url").asText()).isEqualTo(cluster.url(0));
      assertThat(post("/clients/" + ended + "/redirect").get("done").asBoolean()).isFalse();

      assertThat(post("/clients/" + ended + "/disconnect").get("node").asText())
          .isEqualTo("queried-1");
      assertThat(other.awaitClose()).isEqualTo(4004);
      JsonNode audit = get("/audit?kind=commanded&search=" + ended);
      assertThat(audit.get("records").findValuesAsText("what"))
          .containsExactly("disconnect", "redirect");
      assertThat(audit.get("records").findValuesAsText("node")).containsOnly("queried-1");
      assertThat(audit.get("records").findValuesAsText("by")).containsOnly("127.0.0.1");
      assertThat(audit.get("records").findValuesAsText("via")).hasSize(2);
      assertThat(audit.at("/records/1/why").asText()).isEqualTo("no-effect");
      assertThat(get("/audit?search=nothing").get("records")).isEmpty();
      assertThat(
              AdminOpenApi.checked(first.command("/clients/" + ended + "9/disconnect"))
                  .statusCode())
          .isEqualTo(404);
      JsonNode failed = get("/audit?kind=commanded&search=" + ended + "9");
      assertThat(failed.get("records")).hasSize(1);
      assertThat(failed.at("/records/0/node").asText()).isEqualTo("queried-0");
      assertThat(failed.at("/records/0/why").asText())
          .isEqualTo("no node that responded has the session " + ended + "9");
    }
  }

  @Tag("full")
  @Test
  void shouldShowTheEffectOfAnActionOnAnotherNodeInTheNextList() throws Exception {
    first.close();
    first = TestCluster.start(config(0));
    try (TestNode second = TestCluster.start(config(1));
        RawWebSocket there = second.json()) {
      there.subscribe(1, "a");
      // The list of the nodes belongs to the key of a shared result.
      await().atMost(LONG).until(() -> get("/clients").get("nodes").size() == 2);
      JsonNode before = get("/clients");
      assertThat(before.get("total").asInt()).isEqualTo(1);
      post("/clients/" + before.at("/clients/0/session").asText() + "/disconnect");
      assertThat(get("/clients").get("total").asInt()).isZero();
    }
  }

  private JsonNode post(String path) throws IOException {
    HttpResponse<String> response = AdminOpenApi.checked(first.command(path));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return JSON.readTree(response.body());
  }

  @Tag("full")
  @Test
  void shouldAnswerPartiallyWhileANodeDoesNotRespond() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Config config = withUrl("http://127.0.0.1:" + silent.getLocalPort());
      assertPartialWith(config, "timeout", "no response within 2000 ms");
    }
  }

  @Tag("full")
  @Test
  void shouldAnswerPartiallyWithoutTheAdminPortOfANode() {
    Config config = withUrl("http://127.0.0.1:" + FreePorts.one());
    assertPartialWith(config, "error", "refused");
  }

  @Tag("full")
  @Test
  void shouldNotMissASessionOfANodeThatDoesNotRespond() {
    Config config = withUrl("http://127.0.0.1:" + FreePorts.one());
    TestNode second = startSecond(config);
    try {
      HttpResponse<String> response = AdminOpenApi.checked(first.admin("/clients/queried-1-1-1"));
      assertThat(response.statusCode()).isEqualTo(504);
      assertThat(response.body())
          .startsWith("no node that responded has the session queried-1-1-1; queried-1: ");
    } finally {
      second.close();
    }
  }

  @Tag("full")
  @Test
  void shouldNameTheNodeOfASessionThatHasLeft() {
    String gone = "no node that responded has the session %s; node queried-%d ";
    String session;
    try (TestNode second = startSecond(config(1));
        RawWebSocket client = second.json()) {
      client.subscribe(1, "a");
      session = get("/clients").at("/clients/0/session").asText();
    }
    await()
        .atMost(LONG)
        .untilAsserted(
            () ->
                assertThat(notFound(session))
                    .startsWith(gone.formatted(session, 1) + "left the cluster at 20"));
    assertThat(notFound("queried-7-1-1"))
        .isEqualTo(gone.formatted("queried-7-1-1", 7) + "is not in the cluster\n");
  }

  private String notFound(String session) {
    HttpResponse<String> response = AdminOpenApi.checked(first.admin("/clients/" + session));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(404);
    return response.body();
  }

  @Tag("full")
  @Test
  void shouldNameAWrongUrl() {
    Config self = withUrl("http://127.0.0.1:" + first.gateway().adminPort());
    assertPartialWith(self, "error", "its cluster.admin-url is that of node queried-0");
  }

  private Config withUrl(String adminUrl) {
    return config(1).with(ClusterSettings.ADMIN_URL, adminUrl);
  }

  @Tag("full")
  @Test
  void shouldSendTheOperatorsTokenOnly() {
    Config other = config(1).with(AdminSettings.TOKEN, "fedcba9876543210");
    assertPartialWith(other, "error", "status 401: the token is invalid for this node");
  }
}
