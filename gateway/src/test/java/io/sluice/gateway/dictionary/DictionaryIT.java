package io.sluice.gateway.dictionary;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.Gateway;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.dictionary.Dictionary;
import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.CompressedFrames;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.ServerFrame;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Trained dictionaries of a real node. */
final class DictionaryIT {
  private static final byte[] CONTENT =
      "{\"symbol\":\"ACME.N\",\"bid\":100.25,\"ask\":100.27,\"bidSize\":100,\"askSize\":200}"
          .getBytes(UTF_8);
  private static final String HASH = Dictionary.hash(CONTENT);
  private static final String OTHER = "0".repeat(HASH.length());
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @TempDir private static Path folder;
  private static TestBroker broker;
  private static TestNode node;
  private static TestPublisher publisher;

  @BeforeAll
  static void start() throws Exception {
    Path file = Files.write(folder.resolve("quotes.dict"), CONTENT);
    broker = TestBroker.start("artemis");
    node =
        TestNode.start(
            config()
                .with(ServerSettings.ALLOWED_ORIGINS, List.of())
                .with(
                    TopicSettings.TOPIC_COMPRESSION,
                    List.of("quotes.secret=alone", "quotes.>=" + file)));
    publisher = new TestPublisher("artemis", broker.url());
  }

  @AfterAll
  static void stop() throws Exception {
    publisher.close();
    node.close();
    broker.close();
  }

  private static Config config() {
    return TestNode.config("artemis", broker.url());
  }

  private static String connect(String... hashes) {
    String list = hashes.length == 0 ? "" : '"' + String.join("\",\"", hashes) + '"';
    return "{\"type\":\"connect\",\"compressed\":true,\"dictionaries\":[" + list + "]}";
  }

  private static String subscribe(int ref, String topic, String more) {
    return "{\"type\":\"subscribe\",\"ref\":" + ref + ",\"topic\":\"" + topic + "\"" + more + "}";
  }

  private static void publish(String topic, int number) throws Exception {
    publisher.text(topic, quote(number));
  }

  private static String quote(int number) {
    return "{\"symbol\":\"ACME.N\",\"bid\":%d.25,\"ask\":%d.27,\"bidSize\":100,\"askSize\":200}"
        .formatted(number, number);
  }

  private static RawWebSocket open(String connect) {
    return open(Encoding.BINARY_SUBPROTOCOL, null, connect);
  }

  private static RawWebSocket open(String subprotocol, String extensions, String connect) {
    RawWebSocket.Request request = node.request().subprotocols(subprotocol);
    if (extensions != null) {
      request.set("Sec-WebSocket-Extensions", extensions);
    }
    RawWebSocket client = request.open();
    client.text(connect);
    return client;
  }

  private static JsonNode subscribed(RawWebSocket client, int ref, String topic, String more) {
    client.text(subscribe(ref, topic, more));
    return client.await("subscribed");
  }

  /** Returns the next message as text, or null if it is not compressed by a frame. */
  private static String next(RawWebSocket client, CompressedFrames decoder) {
    while (true) {
      ServerFrame frame = client.readMessage();
      byte[] payload = frame.payload();
      boolean text = frame.opcode() == ClientFrame.TEXT;
      if (!text && CompressedFrames.isCompressed(payload)) {
        return new String(decoder.decode(payload).payload(), UTF_8);
      }
      if (!text || new String(payload, UTF_8).startsWith("{\"type\":\"message\"")) {
        return null;
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {Encoding.JSON_SUBPROTOCOL, Encoding.BINARY_SUBPROTOCOL})
  void shouldCompressTheFirstMessageWithTheDictionary(String subprotocol) throws Exception {
    String topic = "quotes." + subprotocol;
    CompressedFrames decoder = new CompressedFrames(CONTENT);
    try (RawWebSocket client = open(subprotocol, null, connect(OTHER, HASH))) {
      JsonNode answer = subscribed(client, 1, topic, "");
      assertThat(answer.get("dictionary").asText()).isEqualTo(HASH);
      publish(topic, 1);
      publish(topic, 2);
      boolean json = subprotocol.equals(Encoding.JSON_SUBPROTOCOL);
      String first = json ? quote(1).replace("\"", "\\\"") : quote(1);
      assertThat(next(client, decoder)).contains(first);
      assertThat(next(client, decoder)).contains(quote(2).substring(30, 34));
      assertThat(decoder.received(CompressedFrames.DICTIONARY)).isEqualTo(1);
      assertThat(decoder.received(CompressedFrames.NEXT)).isEqualTo(1);
    }
  }

  @Test
  void shouldCompressSnapshotsOfPatternsAndTaggedSubscriptions() throws Exception {
    CompressedFrames decoder = new CompressedFrames(CONTENT);
    try (RawWebSocket keeper = open(connect());
        RawWebSocket client = open(connect(HASH))) {
      subscribed(keeper, 1, "quotes.snapshot.*", "");
      CompressedFrames full = new CompressedFrames();
      for (int i = 0; i < 3; i++) {
        publish("quotes.snapshot." + i, i);
        publish("quotes.snapshot." + i, 10 + i);
        next(keeper, full);
        next(keeper, full);
      }
      assertThat(full.received(CompressedFrames.DICTIONARY)).isZero();
      String from = ",\"from\":\"snapshot\"";
      assertThat(subscribed(client, 1, "quotes.snapshot.*", from).get("replay").asInt())
          .isEqualTo(3);
      for (int i = 0; i < 3; i++) {
        assertThat(next(client, decoder)).contains(quote(10 + i));
      }
      assertThat(decoder.received(CompressedFrames.DICTIONARY)).isEqualTo(3);
      subscribed(client, 2, "quotes.snapshot.*", from + ",\"tagged\":true");
      for (int i = 0; i < 3; i++) {
        assertThat(next(client, decoder)).contains(quote(10 + i));
      }
      assertThat(decoder.received(CompressedFrames.DICTIONARY)).isEqualTo(6);
    }
  }

  @Test
  void shouldUseADictionaryThatIsLoadedLater() throws Exception {
    CompressedFrames decoder = new CompressedFrames(CONTENT);
    try (RawWebSocket client = open(connect(OTHER))) {
      assertThat(subscribed(client, 1, "quotes.later.1", "").get("dictionary").asText())
          .isEqualTo(HASH);
      publish("quotes.later.1", 1);
      assertThat(next(client, decoder)).contains(quote(1));
      assertThat(decoder.received(CompressedFrames.DICTIONARY)).isZero();
      client.text("{\"type\":\"dictionary\",\"hash\":\"" + OTHER + "\"}");
      client.text("{\"type\":\"dictionary\",\"hash\":\"" + HASH + "\"}");
      subscribed(client, 2, "quotes.later.2", "");
      publish("quotes.later.2", 2);
      assertThat(next(client, decoder)).contains(quote(2));
      assertThat(decoder.received(CompressedFrames.DICTIONARY)).isEqualTo(1);
    }
  }

  @Test
  void shouldCompressHttpStreams() throws Exception {
    CompressedFrames decoder = new CompressedFrames(CONTENT);
    try (RawWebSocket stream = node.stream(connect(HASH), subscribe(1, "quotes.http", "")).open()) {
      assertThat(stream.await("subscribed").get("dictionary").asText()).isEqualTo(HASH);
      publish("quotes.http", 1);
      assertThat(next(stream, decoder)).contains("ACME.N");
      assertThat(decoder.received(CompressedFrames.DICTIONARY)).isEqualTo(1);
    }
  }

  /** Its live messages use permessage-deflate, and a replay the dictionary. */
  @Test
  void shouldCompressTheSnapshotOfTheSelectedStream() throws Exception {
    CompressedFrames decoder = new CompressedFrames(CONTENT);
    try (RawWebSocket keeper = open(connect());
        RawWebSocket client =
            open(Encoding.BINARY_SUBPROTOCOL, "permessage-deflate", connect(HASH))) {
      subscribed(keeper, 1, "quotes.selected", "");
      publish("quotes.selected", 1);
      next(keeper, new CompressedFrames());
      subscribed(client, 1, "quotes.selected", ",\"from\":\"snapshot\"");
      assertThat(next(client, decoder)).contains(quote(1));
      publish("quotes.selected", 2);
      assertThat(next(client, decoder)).as("a native frame").isNull();
      assertThat(decoder.received(CompressedFrames.DICTIONARY)).isEqualTo(1);
    }
  }

  @Test
  void shouldNotUseItForLargeMessages() throws Exception {
    CompressedFrames decoder = new CompressedFrames(CONTENT);
    try (RawWebSocket client = open(connect(HASH))) {
      subscribed(client, 1, "quotes.large", "");
      String most = "x".repeat(Dictionary.MAX_BYTES);
      publisher.text("quotes.large", most + "x");
      assertThat(next(client, decoder)).endsWith(most + "x");
      assertThat(decoder.received(CompressedFrames.FULL)).isEqualTo(1);
      publisher.text("quotes.large", most);
      assertThat(next(client, decoder)).endsWith(most);
      assertThat(decoder.received(CompressedFrames.DICTIONARY)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"quotes.secret", "other"})
  void shouldNotUseItForOtherTopics(String topic) throws Exception {
    CompressedFrames decoder = new CompressedFrames(CONTENT);
    try (RawWebSocket client = open(connect(HASH))) {
      subscribed(client, 1, topic, "");
      publish(topic, 1);
      assertThat(next(client, decoder)).contains(quote(1));
      assertThat(decoder.received(CompressedFrames.DICTIONARY)).isZero();
    }
  }

  @Test
  void shouldNotAnnounceItToOtherClients() throws Exception {
    try (RawWebSocket client = open("{\"type\":\"connect\",\"dictionaries\":[\"" + HASH + "\"]}")) {
      assertThat(subscribed(client, 1, "quotes.plain", "").has("dictionary")).isFalse();
      publish("quotes.plain", 1);
      assertThat(next(client, new CompressedFrames())).isNull();
    }
  }

  @Test
  void shouldServeTheContentToAnyOrigin() throws Exception {
    HttpResponse<byte[]> got = http("GET", "/dictionary/" + HASH);
    assertThat(got.statusCode()).isEqualTo(200);
    assertThat(got.body()).isEqualTo(CONTENT);
    assertThat(header(got, "Access-Control-Allow-Origin")).isEqualTo("*");
    assertThat(header(got, "Cross-Origin-Resource-Policy")).isEqualTo("cross-origin");
    assertThat(header(got, "Cache-Control")).isEqualTo("public, max-age=31536000, immutable");
    assertThat(header(got, "Content-Type")).isEqualTo("application/octet-stream");
    assertThat(header(got, "X-Content-Type-Options")).isEqualTo("nosniff");
    HttpResponse<byte[]> head = http("HEAD", "/dictionary/" + HASH);
    assertThat(head.body()).isEmpty();
    assertThat(header(head, "Content-Length")).isEqualTo(String.valueOf(CONTENT.length));
  }

  @Test
  void shouldRefuseOtherRequests() throws Exception {
    HttpResponse<byte[]> unknown = http("GET", "/dictionary/" + OTHER);
    assertThat(unknown.statusCode()).isEqualTo(404);
    assertThat(new String(unknown.body(), UTF_8)).contains("no dictionary with this hash");
    assertThat(http("GET", "/dictionary/").statusCode()).isEqualTo(404);
    HttpResponse<byte[]> posted = http("POST", "/dictionary/" + HASH);
    assertThat(posted.statusCode()).isEqualTo(405);
    assertThat(header(posted, "Allow")).isEqualTo("GET, HEAD");
  }

  private static HttpResponse<byte[]> http(String method, String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + node.gateway().port() + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .header("Origin", "https://app.example.com")
            .build();
    return HTTP.send(request, HttpResponse.BodyHandlers.ofByteArray());
  }

  private static String header(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }

  @Test
  void shouldCountTheForm() throws Exception {
    String name = "sluice_compression_messages_total{form=\"dictionary\"}";
    double before = node.metric(name);
    try (RawWebSocket client = open(connect(HASH))) {
      subscribed(client, 1, "quotes.counted", "");
      publish("quotes.counted", 1);
      next(client, new CompressedFrames(CONTENT));
    }
    assertThat(node.metric(name)).isGreaterThan(before);
  }

  @Test
  void shouldNotStartWithoutTheFile() {
    Path missing = folder.resolve("missing");
    Config config = config().with(TopicSettings.TOPIC_COMPRESSION, List.of("a=" + missing));
    assertThatThrownBy(() -> Gateway.start(config, false))
        .hasMessage(
            "topics.compression: file \"%s\" of \"a\" cannot be read: there is no such file"
                .formatted(missing));
  }

  @Test
  void shouldReportHashesThatAreNone() {
    try (RawWebSocket client = open(connect(HASH))) {
      client.text("{\"type\":\"dictionary\",\"hash\":\"abc\"}");
      assertThat(client.await("error").get("message").asText())
          .isEqualTo("\"hash\" has a hash that is not 32 lower-case hexadecimal digits");
    }
  }
}
