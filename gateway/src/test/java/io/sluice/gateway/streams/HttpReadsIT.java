package io.sluice.gateway.streams;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads and publishes of plain HTTP clients at two nodes of one broker. */
@Timeout(180)
final class HttpReadsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final int MESSAGE_BYTES = 8 * 1024;

  private static TestBroker broker;
  private static TestNode node;
  private static TestNode other;
  private static TestPublisher publisher;

  private static Config config() {
    return TestNode.unlimited(TestNode.config(broker.provider(), broker.url()))
        .with(BrokerSettings.LINGER, Duration.ofMinutes(2))
        .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(100))
        .with(HistorySettings.RESUME_MARGIN, Duration.ofSeconds(1))
        .with(HistorySettings.RESUME_SPREAD, Duration.ofMillis(100))
        .with(HistorySettings.MESSAGES, 20_000)
        .with(HistorySettings.BYTES, 8L << 20)
        .with(LimitSettings.MESSAGE_BYTES, (long) MESSAGE_BYTES)
        .with(TopicSettings.QUEUES_SEND, List.of("orders"))
        .with(TopicSettings.QUEUES_CONSUME, List.of("orders"))
        .with(TopicSettings.SUBSCRIBE_TOPICS, List.of("open.>"))
        .with(TopicSettings.PUBLISH_TOPICS, List.of("open.>"));
  }

  @BeforeAll
  static void start() throws Exception {
    broker = TestBroker.start("artemis");
    node = TestNode.start(config());
    other = TestNode.start(config());
    publisher = new TestPublisher(broker.provider(), broker.url());
    node.awaitReady();
    other.awaitReady();
  }

  @AfterAll
  static void stop() throws Exception {
    publisher.close();
    node.close();
    other.close();
    broker.close();
  }

  private static HttpRequest.Builder to(TestNode node, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + node.gateway().port() + path));
  }

  private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return HTTP.send(request.build(), BodyHandlers.ofString());
  }

  private static HttpResponse<String> get(TestNode node, String path) throws Exception {
    return send(to(node, path));
  }

  private static HttpResponse<String> post(String path, String type, String body, String... headers)
      throws Exception {
    HttpRequest.Builder request = to(node, path).POST(BodyPublishers.ofString(body));
    request.header("Content-Type", type);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return send(request);
  }

  private static String header(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }

  private static String next(HttpResponse<?> response) {
    return header(response, "Stream-Next-Offset");
  }

  /** Opens a topic, so that the node has what is published from now on. */
  private static String open(TestNode node, String topic) throws Exception {
    HttpResponse<String> head =
        send(to(node, "/topics/" + topic).method("HEAD", BodyPublishers.noBody()));
    assertThat(head.statusCode()).isEqualTo(200);
    return next(head);
  }

  /** Waits until a node has a number of messages after an offset. Returns the response. */
  private static HttpResponse<String> awaitMessages(
      TestNode node, String topic, String offset, int count) {
    return await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () -> get(node, "/topics/" + topic + "?offset=" + offset),
            response -> payloads(response).size() >= count);
  }

  private static List<String> payloads(HttpResponse<String> response) {
    try {
      List<String> payloads = new ArrayList<>();
      JSON.readTree(response.body()).forEach(each -> payloads.add(each.asText()));
      return payloads;
    } catch (IOException e) {
      throw new AssertionError(response.body(), e);
    }
  }

  @Test
  void shouldPageThroughTenThousandMessages() throws Exception {
    int count = 10_000;
    String tail = open(node, "open.pages");
    for (int i = 0; i < count; i++) {
      publisher.text("open.pages", "" + i);
    }
    await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                payloads(get(node, "/topics/open.pages?offset=" + tail)).size() > 0
                    && lastIs("open.pages", count - 1));
    List<String> read = new ArrayList<>();
    String offset = "-1";
    List<String> offsets = new ArrayList<>();
    HttpResponse<String> page;
    do {
      page = get(node, "/topics/open.pages?offset=" + offset);
      assertThat(page.statusCode()).as(page.body()).isEqualTo(200);
      read.addAll(payloads(page));
      offset = next(page);
      offsets.add(offset);
    } while (header(page, "Stream-Up-To-Date").isEmpty());
    assertThat(read).isEqualTo(IntStream.range(0, count).mapToObj(Integer::toString).toList());
    assertThat(offsets).hasSizeGreaterThan(2).isSorted();
  }

  /** Whether the newest message of a topic is this number. */
  private static boolean lastIs(String topic, int number) throws Exception {
    try (RawWebSocket client = node.json()) {
      client.text(
          "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"%s\",\"from\":{\"last\":1}}"
              .formatted(topic));
      return client.await("message").get("payload").asInt() == number;
    }
  }

  @Test
  void shouldLetCachesKeepCompletePagesOnly() throws Exception {
    String tail = open(node, "open.cached");
    for (int i = 0; i < 1_500; i++) {
      publisher.text("open.cached", "" + i);
    }
    await().atMost(Duration.ofMinutes(1)).until(() -> lastIs("open.cached", 1_499));
    String path = "/topics/open.cached?offset=" + tail;
    HttpResponse<String> full = get(node, path);
    assertThat(header(full, "Cache-Control"))
        .isEqualTo("public, max-age=60, stale-while-revalidate=300");
    assertThat(header(full, "Stream-Up-To-Date")).isEmpty();
    HttpResponse<String> rest = get(node, "/topics/open.cached?offset=" + next(full));
    assertThat(header(rest, "Cache-Control")).isEqualTo("public, no-cache");
    assertThat(header(rest, "Stream-Up-To-Date")).isEqualTo("true");
    HttpResponse<String> again = send(to(node, path).header("If-None-Match", header(full, "ETag")));
    assertThat(again.statusCode()).isEqualTo(304);
    assertThat(again.body()).isEmpty();
    assertThat(next(again)).isEqualTo(next(full));
    assertThat(header(get(node, "/topics/open.cached?offset=now"), "Cache-Control"))
        .isEqualTo("no-store");
  }

  @Test
  void shouldReadTheTypesOfPayloads() throws Exception {
    String tail = open(node, "open.types");
    publisher.text("open.types", "{\"n\": 1}");
    publisher.text("open.types", "plain");
    assertThat(awaitMessages(node, "open.types", tail, 2).body())
        .isEqualTo("[{\"n\": 1},\"plain\"]");
    HttpResponse<String> text =
        send(to(node, "/topics/open.types?offset=" + tail).header("Accept", "text/plain"));
    assertThat(text.body()).isEqualTo("{\"n\": 1}plain");
    assertThat(header(text, "Content-Type")).isEqualTo("text/plain");
    HttpResponse<String> refused =
        send(to(node, "/topics/open.types").header("Accept", "text/html"));
    assertThat(refused.statusCode()).isEqualTo(406);
  }

  @Test
  void shouldNameTheTopicsOfAPattern() throws Exception {
    String tail = open(node, "open.pattern.*");
    publisher.text("open.pattern.a", "1");
    publisher.text("open.pattern.b", "x");
    assertThat(awaitMessages(node, "open.pattern.*", tail, 2).body())
        .isEqualTo(
            "[{\"topic\":\"open.pattern.a\",\"payload\":1},"
                + "{\"topic\":\"open.pattern.b\",\"payload\":\"x\"}]");
  }

  @Test
  void shouldAnswerALongPollWithTheNextMessage() throws Exception {
    String tail = open(node, "open.poll");
    CompletableFuture<HttpResponse<String>> poll =
        HTTP.sendAsync(
            to(node, "/topics/open.poll?live=long-poll&offset=" + tail).build(),
            BodyHandlers.ofString());
    await().until(() -> node.metric("sluice_subscriptions") >= 1);
    assertThat(poll).isNotDone();
    publisher.text("open.poll", "woken");
    HttpResponse<String> response = poll.get(60, TimeUnit.SECONDS);
    assertThat(response.body()).isEqualTo("[\"woken\"]");
    assertThat(header(response, "Stream-Up-To-Date")).isEqualTo("true");
    assertThat(header(response, "Stream-Cursor")).matches("\\d+");
  }

  @Test
  void shouldEndALongPollWithoutAMessage() throws Exception {
    String tail = open(node, "open.quiet");
    HttpResponse<String> response =
        send(
            to(node, "/topics/open.quiet?live=long-poll&offset=" + tail)
                .header("Prefer", "wait=1"));
    assertThat(response.statusCode()).isEqualTo(204);
    assertThat(next(response)).isEqualTo(tail);
    assertThat(header(response, "Stream-Up-To-Date")).isEqualTo("true");
  }

  @Test
  void shouldContinueAtAnotherNode() throws Exception {
    open(other, "open.moves");
    String tail = open(node, "open.moves");
    try (RawWebSocket settled = other.json()) {
      settled.subscribe(1, "open.moves"); // after three margins its log is evidence
      await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () -> {
                publisher.text("open.moves", "before");
                HttpResponse<String> first = get(node, "/topics/open.moves?offset=" + tail);
                return get(other, "/topics/open.moves?offset=" + next(first)).statusCode() == 200;
              });
    }
    String here = next(awaitMessages(node, "open.moves", tail, 1));
    publisher.text("open.moves", "last");
    HttpResponse<String> moved =
        await()
            .atMost(Duration.ofMinutes(1))
            .until(
                () -> get(other, "/topics/open.moves?offset=" + here),
                response -> response.statusCode() == 200 && response.body().contains("last"));
    assertThat(payloads(moved)).endsWith("last");
    assertThat(header(moved, "Sluice-Repeat")).isEqualTo("" + payloads(moved).size());
  }

  @Test
  void shouldAnswerAPositionWithoutProofWith410() throws Exception {
    String tail = open(node, "open.lost");
    HttpResponse<String> response = get(other, "/topics/open.lost?offset=" + tail);
    assertThat(response.statusCode()).isEqualTo(410);
    assertThat(JSON.readTree(response.body()).get("code").asText()).isEqualTo("not-recovered");
  }

  @ParameterizedTest
  @CsvSource({
    "/topics/closed.a, 403, forbidden",
    "/topics/open..a, 400, invalid-topic",
    "/topics/open.a?offset=, 400, bad-frame",
    "/topics/open.a?offset=0%2C1, 400, bad-frame",
    "/topics/open.a?offset=abc, 400, bad-frame",
    "/topics/open.a?offset=-1&offset=-1, 400, bad-frame",
    "/topics/open.a?live=long-poll, 400, bad-frame",
    "/topics/open.a?live=forever&offset=-1, 400, bad-frame",
    "/topics/open.a?ofset=now, 400, bad-request",
    "/topics/open.a?offset=-1&where=n, 400, bad-request"
  })
  void shouldRefuse(String path, int status, String code) throws Exception {
    HttpResponse<String> response = get(node, path);
    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(JSON.readTree(response.body()).get("code").asText()).isEqualTo(code);
    assertThat(header(response, "Cache-Control")).isEqualTo("no-store");
  }

  @Test
  void shouldPublish() throws Exception {
    try (RawWebSocket client = node.json()) {
      client.subscribe(1, "open.in");
      HttpResponse<String> one = post("/topics/open.in", "text/plain", "hello");
      assertThat(one.statusCode()).as(one.body()).isEqualTo(204);
      assertThat(client.await("message").get("payload").asText()).isEqualTo("hello");
      assertThat(post("/topics/open.in", "application/json", "[{\"n\":1},2]").statusCode())
          .isEqualTo(204);
      assertThat(client.payloads(2)).containsExactly("{\"n\":1}", "2");
      HttpResponse<String> refused = post("/topics/closed.in", "text/plain", "hello");
      assertThat(refused.statusCode()).isEqualTo(403);
      assertThat(post("/topics/open.in?priority=9", "text/plain", "hello").statusCode())
          .as("a parameter instead of a header")
          .isEqualTo(400);
      assertThat(JSON.readTree(refused.body()).get("topic").asText()).isEqualTo("closed.in");
    }
  }

  @Test
  void shouldPublishOnceWithTheSameKey() throws Exception {
    try (RawWebSocket client = node.json()) {
      client.subscribe(1, "open.once");
      for (int i = 0; i < 2; i++) {
        assertThat(
                post("/topics/open.once", "text/plain", "once", "Idempotency-Key", "key-1")
                    .statusCode())
            .isEqualTo(204);
      }
      assertThat(post("/topics/open.once", "text/plain", "end").statusCode()).isEqualTo(204);
      assertThat(client.payloads(2)).containsExactly("once", "end");
    }
  }

  @Test
  void shouldSendToAQueue() throws Exception {
    HttpResponse<String> sent = post("/queues/orders", "application/json", "[1,2]");
    assertThat(sent.statusCode()).as(sent.body()).isEqualTo(201);
    assertThat(broker.messages("orders")).isEqualTo(1);
    assertThat(post("/queues/other", "text/plain", "x").statusCode()).isEqualTo(403);
    assertThat(get(node, "/queues/orders").statusCode()).isEqualTo(405);
  }

  @ParameterizedTest
  @ValueSource(ints = {MESSAGE_BYTES + 1, 4 * MESSAGE_BYTES, 4 << 20})
  void shouldRefuseALongBody(int bytes) throws Exception {
    HttpResponse<String> response = post("/topics/open.long", "text/plain", "x".repeat(bytes));
    assertThat(response.statusCode()).isEqualTo(413);
    assertThat(post("/topics/open.long", "text/plain", "x".repeat(MESSAGE_BYTES)).statusCode())
        .isEqualTo(204);
  }

  /** Sends bytes; returns everything until the node ends the connection. */
  private static String raw(String bytes) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), node.gateway().port())) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(bytes.getBytes(UTF_8));
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Content-Length: 5\r\nContent-Length: 50\r\n\r\nhello",
        "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
        "Content-Length: -5\r\n\r\nhello",
        "Content-Length: 5, 50\r\n\r\nhello",
        "Content-Length: 5\r\n Content-Length: 50\r\n\r\nhello",
        "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5;a\nhello\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5\nhello\n0\n\n",
        "X: a\nContent-Length: 5\n\nhello"
      })
  void shouldNotServeARequestBehindAnAmbiguousBody(String rest) throws Exception {
    String smuggled =
        "POST /topics/open.smuggled HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n"
            + "Content-Length: 8\r\n\r\nsmuggled";
    try (RawWebSocket client = node.json()) {
      client.subscribe(1, "open.smuggled");
      String answers =
          raw(
              "POST /topics/open.front HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n"
                  + rest
                  + smuggled);
      assertThat(answers).doesNotContain("HTTP/1.1 200");
      publisher.text("open.smuggled", "honest");
      JsonNode first = client.await("message");
      assertThat(first.get("payload").asText()).as(answers).isEqualTo("honest");
    }
  }
}
