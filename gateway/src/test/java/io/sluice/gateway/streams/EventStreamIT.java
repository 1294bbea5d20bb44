package io.sluice.gateway.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.TestCluster;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.streams.EventClient.Event;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Event streams of two nodes at one broker. */
final class EventStreamIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private static TestBroker broker;
  private static TestNode first;
  private static TestNode second;
  private static TestPublisher publisher;

  @BeforeAll
  static void start() throws Exception {
    broker = TestBroker.start("artemis");
    first = TestCluster.start(config());
    second = TestCluster.start(config());
    publisher = new TestPublisher("artemis", broker.url());
  }

  @AfterAll
  static void stop() throws Exception {
    publisher.close();
    second.close();
    first.close();
    broker.close();
  }

  private static Config config() {
    return TestNode.config("artemis", broker.url())
        .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(100))
        .with(TimeoutSettings.PING, Duration.ofMillis(100))
        .with(TopicSettings.SUBSCRIBE_TOPICS, List.of("open.>"))
        .with(HistorySettings.RESUME_MARGIN, Duration.ofSeconds(1))
        .with(HistorySettings.RESUME_SPREAD, Duration.ofMillis(100));
  }

  private static String url(TestNode node, String path) {
    return "http://127.0.0.1:" + node.gateway().port() + path;
  }

  private static EventClient open(TestNode node, String path, String... headers) {
    return EventClient.open(HTTP, url(node, path), headers);
  }

  private static JsonNode json(String text) throws Exception {
    return JSON.readTree(text);
  }

  @Test
  void shouldContinueAtTheSameNodeExactly() throws Exception {
    String id;
    try (EventClient client = open(first, "/topics/open.same")) {
      assertThat(client.status()).isEqualTo(200);
      assertThat(client.response().headers().firstValue("Content-Type"))
          .contains("text/event-stream");
      await().until(() -> client.retryMs > 0 && client.comments > 0);
      publisher.text("open.same", "1");
      publisher.text("open.same", "a\nb");
      assertThat(client.messages(2)).containsExactly("1", "a\nb");
      id = client.lastEventId;
    }
    publisher.text("open.same", "3");
    try (EventClient client = open(first, "/topics/open.same", "Last-Event-ID", id)) {
      publisher.text("open.same", "4");
      assertThat(client.messages(2)).containsExactly("3", "4");
    }
    try (EventClient client = open(first, "/topics/open.same?offset=" + id)) {
      assertThat(client.messages(2)).containsExactly("3", "4");
    }
  }

  @Test
  void shouldContinueBeforeTheFirstMessage() throws Exception {
    String id;
    try (EventClient client = open(first, "/topics/open.early")) {
      await().until(() -> !client.lastEventId.isEmpty());
      id = client.lastEventId;
    }
    publisher.text("open.early", "1");
    try (EventClient client = open(first, "/topics/open.early", "Last-Event-ID", id)) {
      assertThat(client.messages(1)).containsExactly("1");
    }
  }

  @Test
  void shouldReportAGapWithAnUnknownPosition() throws Exception {
    try (EventClient keeper = open(first, "/topics/open.gap")) {
      publisher.text("open.gap", "1");
      publisher.text("open.gap", "2");
      keeper.messages(2);
      try (EventClient client = open(first, "/topics/open.gap", "Last-Event-ID", "17")) {
        Event gap = client.next();
        assertThat(gap.type()).isEqualTo("gap");
        assertThat(json(gap.data()).get("reason").asText()).isEqualTo("not-recovered");
        Event snapshot = client.next();
        assertThat(snapshot.type()).isEqualTo("snapshot");
        assertThat(json(snapshot.data()).get("messages").asInt()).isEqualTo(1);
        assertThat(client.messages(1)).containsExactly("2");
      }
    }
  }

  @Test
  void shouldRefuseBeforeTheResponse() throws Exception {
    assertRefused("/topics/closed", 403, "forbidden");
    assertRefused("/topics/open..x", 400, "invalid-topic");
    assertRefused("/topics/", 400, "bad-request");
    assertRefused("/topics/open.a?offset=x", 400, "bad-request");
    assertRefused("/topics/open.a?data=x", 400, "bad-request");
    assertThat(assertRefused("/topics/open.a?ofset=now", 400, "bad-request"))
        .contains("unknown parameter ofset; did you mean offset?");
    assertRefused("/topics/open.a?" + "x".repeat(4_000), 400, "bad-request");
    assertRefused("/topics/open.a?topic=open.b&topic=closed", 403, "forbidden");
    assertRefused("/topics/open.a/b", 400, "bad-request");
    for (int count : new int[] {65, 4 * 64}) {
      StringBuilder many = new StringBuilder("/topics?topic=x");
      IntStream.range(1, count).forEach(i -> many.append("&topic=").append(i));
      assertRefused(many.toString(), 400, "bad-request");
    }
  }

  private static String assertRefused(String path, int status, String code) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(url(first, path)))
            .header("Accept", "text/event-stream")
            .header("Origin", "https://page.example")
            .build();
    var response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(path).isEqualTo(status);
    assertThat(json(response.body()).get("code").asText()).as(path).isEqualTo(code);
    assertThat(response.headers().firstValue("Access-Control-Allow-Origin")).isPresent();
    return response.body();
  }

  @Test
  void shouldContinueAtAnotherNode() throws Exception {
    String id;
    try (EventClient keeper = open(second, "/topics/open.other")) {
      try (EventClient client = open(first, "/topics/open.other")) {
        awaitSettled();
        publisher.text("open.other", "1");
        id = client.await("message").lastEventId();
        keeper.await("message");
      }
      publisher.text("open.other", "2");
      keeper.await("message");
    }
    try (EventClient client = open(second, "/topics/open.other", "Last-Event-ID", id)) {
      Event repeat = client.next();
      assertThat(repeat.type()).as("notice of a repetition").isEqualTo("repeat");
      assertThat(json(repeat.data()).get("messages").asInt()).isEqualTo(2);
      assertThat(client.messages(2)).containsExactly("1", "2");
    }
  }

  /** Waits until logs that begin now are evidence for positions of other nodes. */
  private static void awaitSettled() {
    long settledMs = System.currentTimeMillis() + 4_000;
    await().atMost(Duration.ofMinutes(2)).until(() -> System.currentTimeMillis() > settledMs);
  }

  @Test
  void shouldContinueSeveralTopicsByOneId() throws Exception {
    String path = "/topics?topic=open.several.a&topic=open.several.b.*&topic=open.several.c";
    String id;
    String later;
    try (EventClient client = open(first, path)) {
      await().until(() -> !client.lastEventId.isEmpty());
      publisher.text("open.several.a", "a1");
      publisher.text("open.several.b.x", "b1");
      assertThat(List.of(client.payload(), client.payload()))
          .containsExactlyInAnyOrder("open.several.a=a1", "open.several.b.x=b1");
      String before = client.lastEventId;
      publisher.text("open.several.a", "a2");
      assertThat(client.payload()).isEqualTo("open.several.a=a2");
      await().until(() -> !client.lastEventId.equals(before));
      id = client.lastEventId;
    }
    try (EventClient client = open(first, path, "Last-Event-ID", id)) {
      publisher.text("open.several.a", "a3");
      assertThat(client.payload()).isEqualTo("open.several.a=a3");
      await().until(() -> !client.lastEventId.isEmpty() && !client.lastEventId.equals(id));
      later = client.lastEventId;
    }
    publisher.text("open.several.b.y", "b2");
    publisher.text("open.several.c", "c1");
    publisher.text("open.several.a", "a4");
    try (EventClient client = open(first, path, "Last-Event-ID", later)) {
      assertThat(List.of(client.payload(), client.payload(), client.payload()))
          .containsExactlyInAnyOrder(
              "open.several.a=a4", "open.several.b.y=b2", "open.several.c=c1");
    }
  }

  @Test
  void shouldSelectMessages() throws Exception {
    String where = "/topics/open.where?where=" + "n%20%3E%201";
    try (EventClient client = open(first, where)) {
      for (int n = 1; n <= 3; n++) {
        var message = publisher.session().createTextMessage("n" + n);
        message.setIntProperty("n", n);
        publisher.send("open.where", message);
      }
      assertThat(client.messages(2)).containsExactly("n2", "n3");
    }
  }

  @Test
  void shouldBeginWithASnapshot() throws Exception {
    try (EventClient keeper = open(first, "/topics/open.snap.*")) {
      publisher.text("open.snap.a", "1");
      publisher.text("open.snap.a", "2");
      publisher.text("open.snap.b", "3");
      keeper.messages(3);
      try (EventClient client = open(first, "/topics/open.snap.*?offset=snapshot")) {
        assertThat(json(client.next().data()).get("messages").asInt()).isEqualTo(2);
        assertThat(List.of(client.payload(), client.payload()))
            .containsExactly("open.snap.a=2", "open.snap.b=3");
      }
      try (EventClient client = open(first, "/topics/open.snap.*?offset=-1&data=payload")) {
        assertThat(client.messages(3)).containsExactly("1", "2", "3");
      }
    }
  }

  @Test
  void shouldCloseAtADrainWithATimeForTheNextConnection() throws Exception {
    Config quick = config().with(TimeoutSettings.DRAIN, Duration.ofSeconds(2));
    try (TestNode node = TestCluster.start(quick);
        EventClient client = open(node, "/topics/open.drain")) {
      await().until(() -> client.retryMs >= 500);
      CompletableFuture<Void> stopped =
          CompletableFuture.runAsync(() -> node.gateway().drainAndStop());
      assertThat(client.next().type()).isEqualTo("end");
      assertThat(client.retryMs).as("soon, the node paces its drain").isLessThan(500);
      stopped.join();
    }
  }

  @Test
  void shouldLetEventSourceComeBackToANodeThatServesNobody() throws Exception {
    Config one = TestNode.unlimited(config()).with(LimitSettings.CONNECTIONS, 1);
    try (TestNode node = TestCluster.start(one);
        EventClient client = open(node, "/topics/open.busy")) {
      await().until(() -> !client.lastEventId.isEmpty());
      assertComesBack(node, "full");
      assertThat(node.command("/drain").statusCode()).isEqualTo(202);
      assertComesBack(node, "draining");
      assertThat(client.next().type()).isEqualTo("end");
    }
  }

  private static void assertComesBack(TestNode node, String code) throws Exception {
    String path = "/topics/open.busy?offset=-1";
    for (String other : List.of(path, path + "&live=sse")) {
      var refused =
          HTTP.send(
              HttpRequest.newBuilder(URI.create(url(node, other))).build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(refused.statusCode()).as(other).isEqualTo(503);
      assertThat(refused.headers().firstValue("Retry-After")).isPresent();
      assertThat(json(refused.body()).get("code").asText()).isEqualTo(code);
    }
    try (EventClient client = open(node, path)) {
      assertThat(client.status()).isEqualTo(200);
      assertThat(client.next().type()).isEqualTo("end");
      assertThat(client.retryMs).isBetween(2_500L, 7_500L);
    }
    assertThat(node.metric("sluice_handshakes_refused_total{cause=\"503\"}")).isPositive();
  }

  @Test
  void shouldNotifyOfALostBroker() throws Exception {
    try (TestBroker own = TestBroker.start("artemis");
        TestNode node = TestCluster.start(config().with(BrokerSettings.URL, own.url()));
        EventClient client = open(node, "/topics/open.lost")) {
      own.kill();
      assertThat(client.next().type()).isEqualTo("stale");
      own.restart();
      assertThat(client.next().type()).isEqualTo("gap");
      assertThat(client.next().type()).isEqualTo("live");
    }
  }

  @Test
  void shouldCloseASlowClientBesideNineOthers() throws Exception {
    Config small = config().with(LimitSettings.PENDING_BYTES, 64L * 1024);
    try (TestNode node = TestCluster.start(small);
        RawHttp client = RawHttp.to(node.gateway().port())) {
      List<EventClient> others =
          Stream.generate(() -> open(node, "/topics/open.fast")).limit(9).toList();
      List<String> published = new ArrayList<>();
      client.write(
          "GET /topics/open.slow HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n");
      assertThat(client.readLine()).isEqualTo("HTTP/1.1 200 OK");
      String payload = "x".repeat(60_000);
      await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () -> {
                for (int i = 0; i < 50; i++) {
                  publisher.text("open.slow", payload);
                }
                published.add("" + published.size());
                publisher.text("open.fast", published.get(published.size() - 1));
                return node.metric("sluice_connections") == others.size();
              });
      assertThat(node.openMetrics()).contains("slow-consumer");
      for (EventClient other : others) {
        assertThat(other.messages(published.size())).isEqualTo(published);
        other.close();
      }
    }
  }

  @Test
  void shouldRefuseAmbiguousRequests() throws Exception {
    String stream = "GET /topics/open.a HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n";
    String smuggled = "GET /topics/closed HTTP/1.1\r\nHost: a\r\n\r\n";
    List<String> heads =
        List.of(
            stream + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled,
            stream + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n" + smuggled,
            stream + "Transfer-Encoding: chunked, identity\r\n\r\n" + smuggled,
            stream + "Content-Length: +5\r\n\r\n" + smuggled,
            stream + "X: " + "x".repeat(4 * 16_384) + "\r\n\r\n",
            "GET /topics/" + "x".repeat(4 * 16_384) + " HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /topics?" + "topic=a&".repeat(10_000) + " HTTP/1.1\r\nHost: a\r\n\r\n");
    for (String head : heads) {
      try (RawHttp client = RawHttp.to(first.gateway().port())) {
        client.write(head);
        assertThat(client.readAll())
            .as(head.substring(0, Math.min(200, head.length())))
            .matches("(?s)HTTP/1.. 4.*")
            .doesNotContain("text/event-stream")
            .containsOnlyOnce("content-length");
      }
    }
  }

  @Test
  void shouldIgnoreARequestBehindThatForAStream() throws Exception {
    try (RawHttp client = RawHttp.to(first.gateway().port())) {
      String stream = "GET /topics/open.a HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n";
      client.write(stream + "GET /topics/closed HTTP/1.1\r\nHost: a\r\n\r\n");
      assertThat(client.readLine()).isEqualTo("HTTP/1.1 200 OK");
      await().until(() -> client.readLine().startsWith("id: "));
    }
  }

  @Test
  void shouldAnswerPagesOfAllowedOriginsOnly() throws Exception {
    HttpRequest preflight =
        HttpRequest.newBuilder(URI.create(url(first, "/topics/open.a")))
            .method("OPTIONS", HttpRequest.BodyPublishers.noBody())
            .header("Origin", "https://page.example")
            .header("Access-Control-Request-Method", "GET")
            .build();
    var answer = HTTP.send(preflight, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(204);
    assertThat(answer.headers().firstValue("Access-Control-Allow-Headers").orElse(""))
        .contains("last-event-id", "authorization");
    Config own = config().with(ServerSettings.ALLOWED_ORIGINS, List.of("https://a.example"));
    try (TestNode node = TestNode.start(own);
        EventClient other = open(node, "/topics/open.a", "Origin", "https://page.example");
        EventClient listed = open(node, "/topics/open.a", "Origin", "https://a.example")) {
      assertThat(other.status()).isEqualTo(403);
      assertThat(other.response().headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
      assertThat(listed.status()).isEqualTo(200);
      assertThat(listed.response().headers().firstValue("Access-Control-Allow-Credentials"))
          .contains("true");
    }
  }
}
