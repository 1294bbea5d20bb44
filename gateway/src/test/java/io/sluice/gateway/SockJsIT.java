package io.sluice.gateway;

import static java.net.http.HttpRequest.BodyPublishers.noBody;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.BytesMessage;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** STOMP by the transports of SockJS: docs/how-to/stomp.md. */
@Timeout(120)
final class SockJsIT {
  private static final String PAGE = "https://app.example.com";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private static TestBroker broker;
  private static TestNode node;
  private static TestPublisher publisher;

  @BeforeAll
  static void start() throws Exception {
    broker = TestBroker.start("artemis");
    Config config =
        TestNode.config(broker.provider(), broker.url())
            .with(ServerSettings.ALLOWED_ORIGINS, List.of(PAGE))
            .with(LimitSettings.PENDING_BYTES, 256L << 10)
            .with(TopicSettings.SUBSCRIBE_TOPICS, List.of("open.>"))
            .with(TopicSettings.PUBLISH_TOPICS, List.of("open.>"));
    node = TestNode.start(config);
    publisher = new TestPublisher(broker.provider(), broker.url());
    node.awaitReady();
  }

  @AfterAll
  static void stop() throws Exception {
    publisher.close();
    node.close();
    broker.close();
  }

  private static HttpRequest.Builder request(String path) {
    URI url = URI.create("http://127.0.0.1:" + node.gateway().port() + "/stomp/" + path);
    return HttpRequest.newBuilder(url).timeout(Duration.ofSeconds(60));
  }

  private static HttpResponse<String> post(String path, String body) throws Exception {
    HttpRequest.Builder post = request(path).POST(HttpRequest.BodyPublishers.ofString(body));
    return HTTP.send(post.build(), BodyHandlers.ofString());
  }

  private static String newSession() {
    return "000/" + UUID.randomUUID();
  }

  private static String poll(String session) throws Exception {
    HttpResponse<String> response = post(session + "/xhr", "");
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    assertThat(response.body()).endsWith("\n");
    return response.body().strip();
  }

  private static String connected() throws Exception {
    String session = newSession();
    assertThat(poll(session)).isEqualTo("o");
    send(session, "CONNECT\naccept-version:1.2\n\n\0");
    assertThat(parsed(poll(session)).get(0).command()).isEqualTo("CONNECTED");
    return session;
  }

  /** Sends STOMP frames in one message. */
  private static void send(String session, String... frames) throws Exception {
    String message = JSON.writeValueAsString(frames);
    assertThat(post(session + "/xhr_send", message).statusCode()).isEqualTo(204);
  }

  private static void subscribe(String session, String topic) throws Exception {
    send(session, "SUBSCRIBE\nid:1\ndestination:" + topic + "\nreceipt:1\n\n\0");
    assertThat(parsed(poll(session)).get(0).command()).isEqualTo("RECEIPT");
  }

  private static List<StompSocket.Frame> parsed(String array) {
    assertThat(array).startsWith("a[");
    List<StompSocket.Frame> frames = new ArrayList<>();
    RawWebSocket.parse(array.substring(1))
        .forEach(each -> frames.add(StompSocket.parse(each.asText())));
    return frames;
  }

  @Test
  void shouldDescribeTheEndpoint() throws Exception {
    HttpResponse<String> info =
        HTTP.send(request("info").header("Origin", PAGE).build(), BodyHandlers.ofString());
    assertThat(info.headers().firstValue("Access-Control-Allow-Origin")).contains(PAGE);
    assertThat(RawWebSocket.parse(info.body()).get("websocket").asBoolean()).isTrue();
  }

  @Test
  void shouldServeWebSockets() throws Exception {
    int port = node.gateway().port();
    try (RawWebSocket client =
        RawWebSocket.to("127.0.0.1", port, "/stomp/123/abc_9/websocket").open()) {
      assertThat(client.readText()).isEqualTo("o");
      client.text("[\"CONNECT\\naccept-version:1.1,1.2\\n\\n\\u0000\"]");
      assertThat(parsed(client.readText()).get(0).command()).isEqualTo("CONNECTED");
      client.text(
          "[\"SUBSCRIBE\\nid:a\\\"b\\ndestination:open.sockjs\\nreceipt:1\\n\\n\\u0000\",\"\\n\"]");
      assertThat(parsed(client.readText()).get(0).command()).isEqualTo("RECEIPT");
      client.text("\"SEND\\ndestination:open.sockjs\\n\\n\\\"€\\\"\\u0000\"");
      StompSocket.Frame message = parsed(client.readText()).get(0);
      assertThat(message.header("subscription")).isEqualTo("a\"b");
      assertThat(message.body()).isEqualTo("\"€\"");
      BytesMessage binary = publisher.session().createBytesMessage();
      binary.writeByte((byte) 0xFF);
      publisher.send("open.sockjs", binary);
      StompSocket.Frame bytes = parsed(client.readText()).get(0);
      assertThat(bytes.header("content-encoding")).isEqualTo("base64");
      assertThat(bytes.body()).isEqualTo("/w==");
      client.text("{}");
      assertThat(parsed(client.readText()).get(0).command()).isEqualTo("ERROR");
      assertThat(client.readText()).isEqualTo("c[1002,\"protocol error\"]");
      assertThat(client.awaitClose()).isEqualTo(1002);
    }
  }

  @Test
  void shouldServePolling() throws Exception {
    String session = connected();
    subscribe(session, "open.polling");
    String send = "SEND\ndestination:open.polling\n\n";
    send(session, send + "€\0", send + "2\0", send + "3\0");
    List<String> bodies = new ArrayList<>();
    while (bodies.size() < 3) {
      parsed(poll(session)).forEach(each -> bodies.add(each.body()));
    }
    assertThat(bodies).containsExactly("€", "2", "3");
    assertThat(post(session + "/xhr_send", "{}").statusCode()).isEqualTo(204);
    assertThat(parsed(poll(session)).get(0).command()).isEqualTo("ERROR");
    assertThat(poll(session)).isEqualTo("c[1002,\"protocol error\"]");
    assertThat(poll(session)).as("repeated").isEqualTo("c[1002,\"protocol error\"]");
  }

  @Test
  void shouldJoinMessagesOfOneResponse() throws Exception {
    String session = connected();
    try (StompSocket beside = StompSocket.open(node)) {
      beside.request("SUBSCRIBE\nid:1\ndestination:open.joined\n\n");
      subscribe(session, "open.joined");
      for (int i = 0; i < 10; i++) {
        publisher.text("open.joined", "m" + i);
        beside.await("MESSAGE");
      }
      List<StompSocket.Frame> joined = parsed(poll(session));
      if (joined.size() < 10) { // the last one was on its way
        joined.addAll(parsed(poll(session)));
      }
      assertThat(joined).extracting(StompSocket.Frame::body).hasSize(10).endsWith("m9");
    }
  }

  @Test
  void shouldEndAStreamOf128KiB() throws Exception {
    String session = connected();
    subscribe(session, "open.large");
    HttpRequest.Builder request = request(session + "/xhr_streaming").POST(noBody());
    var stream = HTTP.sendAsync(request.build(), BodyHandlers.ofString());
    for (int i = 0; i < 5; i++) {
      publisher.text("open.large", "x".repeat(30_000) + i);
    }
    String[] lines = stream.get().body().split("\n");
    assertThat(lines[0]).as("prelude").isEqualTo("h".repeat(2048));
    List<StompSocket.Frame> messages = new ArrayList<>();
    for (int i = 1; i < lines.length; i++) {
      messages.addAll(parsed(lines[i]));
    }
    while (messages.size() < 5) {
      messages.addAll(parsed(poll(session)));
    }
    assertThat(messages.get(4).body()).endsWith("x4");
  }

  @Test
  void shouldHaveOneReceiver() throws Exception {
    String session = connected();
    try (Socket socket = stream(session)) {
      InputStream first = socket.getInputStream();
      awaitReceiver(session, socket);
      assertThat(poll(session)).isEqualTo("c[2010,\"Another connection still open\"]");
      send(session, "DISCONNECT\nreceipt:9\n\n\0");
      readUntil(first, "c[1000,\"normal\"]");
    }
  }

  /** Only an answer proves that the session sends by this response; a poll would replace it. */
  private static void awaitReceiver(String session, Socket socket) throws Exception {
    send(session, "SUBSCRIBE\nid:1\ndestination:open.receiver\nreceipt:1\n\n\0");
    readUntil(socket.getInputStream(), "RECEIPT");
  }

  private static void readUntil(InputStream in, String end) throws IOException {
    StringBuilder read = new StringBuilder();
    while (read.indexOf(end) < 0) {
      int next = in.read();
      assertThat(next).as("no %s in %s", end, read).isNotNegative();
      read.append((char) next);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "000/12345678/xhr_send, POST, 404",
    "000/1234567/xhr, POST, 400",
    "000/12345678/xhr, GET, 405",
    "000/12345678/xhr, OPTIONS, 204"
  })
  void shouldAnswerOtherRequests(String path, String method, int status) throws Exception {
    HttpRequest request = request(path).method(method, noBody()).header("Origin", PAGE).build();
    HttpResponse<String> response = HTTP.send(request, BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    assertThat(response.headers().allValues("Access-Control-Allow-Origin")).containsExactly(PAGE);
    assertThat(response.headers().allValues("Access-Control-Allow-Credentials"))
        .containsExactly("true");
  }

  @ParameterizedTest
  @ValueSource(strings = {"xhr", "xhr_streaming", "xhr_send"})
  void shouldRefuseOtherOrigins(String transport) throws Exception {
    HttpRequest request =
        request(newSession() + "/" + transport)
            .POST(noBody())
            .header("Origin", "https://evil.example.com")
            .build();
    assertThat(HTTP.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(403);
  }

  @Test
  void shouldRefuseFourTimesALimit() throws Exception {
    String session = connected();
    int limit = LimitSettings.MESSAGE_BYTES.defaultValue().intValue();
    String body = "[\"" + "x".repeat(4 * limit) + "\"]";
    assertThat(post(session + "/xhr_send", body).statusCode()).isEqualTo(413);
    send(session, "\n ".repeat(4_000).split(" "));
    assertThat(parsed(poll(session)).get(0).body()).contains("more than 1000 texts");
  }

  @ParameterizedTest
  @ValueSource(strings = {"xhr", "xhr_streaming", "xhr_send"})
  void shouldBelongToTheNetworkThatHasOpenedIt(String transport) throws Exception {
    String session = connected();
    assertThat(statusOfOther(session, transport)).isEqualTo(404);
    send(session, "DISCONNECT\nreceipt:9\n\n\0");
    assertThat(poll(session)).contains("RECEIPT");
  }

  /** Returns the status line's code for a client of another address. */
  private static int statusOfOther(String session, String transport) throws IOException {
    int port = node.gateway().port();
    try (Socket socket = new Socket("127.0.0.1", port, InetAddress.getByName("127.0.0.2"), 0)) {
      String head = "POST /stomp/" + session + "/" + transport + " HTTP/1.1\r\n";
      socket
          .getOutputStream()
          .write(
              (head + "Host: a\r\nContent-Length: 2\r\n\r\n[]")
                  .getBytes(StandardCharsets.US_ASCII));
      byte[] line = socket.getInputStream().readNBytes("HTTP/1.1 404".length());
      return Integer.parseInt(new String(line, StandardCharsets.US_ASCII).substring(9));
    }
  }

  @Test
  void shouldLimitTheSessionsOfAnAddress() throws Exception {
    Config two =
        TestNode.config(broker.provider(), broker.url()).with(LimitSettings.ADDRESS_CONNECTIONS, 2);
    try (TestNode limited = TestNode.start(two)) {
      limited.awaitReady();
      List<Integer> statuses = new ArrayList<>();
      for (int i = 0; i < 4 * 2; i++) { // four times the limit
        statuses.add(open(limited, newSession()));
      }
      assertThat(statuses).startsWith(200, 200);
      assertThat(statuses.subList(2, statuses.size())).containsOnly(429);
      await() // the sessions end without a receiver
          .atMost(Duration.ofSeconds(60))
          .until(() -> open(limited, newSession()) == 200);
    }
  }

  private static int open(TestNode at, String session) throws Exception {
    URI url = URI.create("http://127.0.0.1:" + at.gateway().port() + "/stomp/" + session + "/xhr");
    HttpRequest request = HttpRequest.newBuilder(url).POST(noBody()).build();
    return HTTP.send(request, BodyHandlers.ofString()).statusCode();
  }

  @Test
  void shouldEndWithoutAReceiver() throws Exception {
    String session = connected();
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> post(session + "/xhr_send", "[\"\\n\"]").statusCode() == 404);
  }

  @Test
  void shouldEndAfterAnInterruptedResponse() throws Exception {
    String session = connected();
    try (Socket socket = stream(session)) {
      awaitReceiver(session, socket);
    }
    await().until(() -> poll(session).equals("c[1002,\"Connection interrupted\"]"));
  }

  private static Socket stream(String session) throws IOException {
    Socket socket = new Socket("127.0.0.1", node.gateway().port());
    String head = "POST /stomp/" + session + "/xhr_streaming HTTP/1.1\r\n";
    socket
        .getOutputStream()
        .write((head + "Host: a\r\nContent-Length: 0\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  @Test
  void shouldCloseASlowReader() throws Exception {
    String session = connected();
    subscribe(session, "open.slow");
    try (Socket unread = stream(session);
        StompSocket beside = StompSocket.open(node)) {
      beside.request("SUBSCRIBE\nid:1\ndestination:open.slow\n\n");
      String text = "x".repeat(60_000);
      int sent = 0;
      while (post(session + "/xhr_send", "[\"\\n\"]").statusCode() == 204) {
        publisher.text("open.slow", text + sent);
        assertThat(beside.await("MESSAGE").body()).endsWith("x" + sent);
        sent++;
      }
      InputStream received = unread.getInputStream();
      assertThat(received.read()).isEqualTo('H');
    }
  }
}
