package io.sluice.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.TestBroker;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Files of the JavaScript client, requested from a node. */
final class ClientFilesIT {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final Pattern IMPORT =
      Pattern.compile("(?:from|import\\()\"\\./(?:client/)?([^\"]+)\"");

  private static TestBroker broker;
  private static TestNode node;

  @BeforeAll
  static void startNode() {
    broker = TestBroker.start("artemis");
    node = TestNode.start(config());
  }

  private static Config config() {
    return TestNode.config("artemis", broker.url()).with(ServerSettings.ALLOWED_ORIGINS, List.of());
  }

  @AfterAll
  static void stopNode() {
    node.close();
    broker.close();
  }

  @Test
  void shouldServeTheModuleAndItsPartsToAnyOrigin() throws Exception {
    HttpResponse<byte[]> module = get(node, "/sluice.js", "Origin", "https://app.example.com");
    assertThat(module.statusCode()).isEqualTo(200);
    assertThat(header(module, "Content-Type")).isEqualTo("text/javascript; charset=utf-8");
    assertThat(header(module, "Access-Control-Allow-Origin")).isEqualTo("*");
    assertThat(header(module, "Cache-Control")).isEqualTo("no-cache");
    Set<String> parts = parts(module.body());
    assertThat(parts).hasSizeGreaterThan(5);
    for (String name : parts) {
      HttpResponse<byte[]> part = get(node, name, "Accept", "*/*");
      assertThat(part.statusCode()).as(name).isEqualTo(200);
      assertThat(header(part, "Cache-Control")).contains("immutable");
    }
  }

  /** A client that is not notified would send a request while the node closes the connection. */
  @Tag("full")
  @Test
  void shouldAnnounceTheEndOfAConnection() {
    Config hasty = config().with(TimeoutSettings.HANDSHAKE, Duration.ofSeconds(10));
    try (TestNode closing = TestNode.start(hasty)) {
      await()
          .atMost(Duration.ofMinutes(2))
          .ignoreExceptions() // on a slow machine a connection may expire between two requests
          .until(
              () ->
                  get(closing, "/sluice.js", "Accept", "*/*")
                      .headers()
                      .firstValue("connection")
                      .isPresent());
    }
  }

  private static Set<String> parts(byte[] module) {
    return IMPORT
        .matcher(new String(module))
        .results()
        .map(part -> "/client/" + part.group(1))
        .collect(Collectors.toSet());
  }

  @Test
  void shouldCompressByTheAcceptedEncoding() throws Exception {
    byte[] plain = get(node, "/sluice.global.js", "Accept-Encoding", "identity").body();
    HttpResponse<byte[]> gzip = get(node, "/sluice.global.js", "Accept-Encoding", "br;q=0, gzip");
    assertThat(header(gzip, "Content-Encoding")).isEqualTo("gzip");
    assertThat(new GZIPInputStream(new ByteArrayInputStream(gzip.body())).readAllBytes())
        .isEqualTo(plain);
    HttpResponse<byte[]> brotli = get(node, "/sluice.global.js", "Accept-Encoding", "gzip, br");
    assertThat(header(brotli, "Content-Encoding")).isEqualTo("br");
    assertThat(header(brotli, "Vary")).isEqualTo("Accept-Encoding");
    assertThat(brotli.body()).hasSizeLessThan(gzip.body().length);
  }

  @Test
  void shouldAnswerARevalidationWith304() throws Exception {
    String tag = header(get(node, "/sluice.js", "Accept-Encoding", "br"), "ETag");
    assertThat(get(node, "/sluice.js", "If-None-Match", tag).statusCode()).isEqualTo(200);
    HttpRequest repeated =
        request(node, "/sluice.js", "If-None-Match", tag).header("Accept-Encoding", "br").build();
    HttpResponse<byte[]> current = HTTP.send(repeated, HttpResponse.BodyHandlers.ofByteArray());
    assertThat(current.statusCode()).isEqualTo(304);
    assertThat(current.body()).isEmpty();
  }

  @Test
  void shouldNameVersionedFilesWithTheirIntegrity() throws Exception {
    JsonNode files = new ObjectMapper().readTree(get(node, "/sluice.json", "Accept", "*/*").body());
    for (String kind : List.of("module", "script")) {
      JsonNode file = files.get(kind);
      byte[] content = get(node, file.get("path").asText(), "Accept", "*/*").body();
      byte[] digest = MessageDigest.getInstance("SHA-384").digest(content);
      assertThat(file.get("integrity").asText())
          .isEqualTo("sha384-" + Base64.getEncoder().encodeToString(digest));
      if (kind.equals("module")) {
        assertThat(parts(content))
            .isEqualTo(parts(get(node, "/sluice.js", "Accept", "*/*").body()));
      }
    }
  }

  @Test
  void shouldNotServeOtherFilesOrMethods() throws Exception {
    assertThat(get(node, "/client/none-0000.js", "Accept", "*/*").statusCode()).isEqualTo(404);
    assertThat(get(node, "/client/..%2Fsluice.js", "Accept", "*/*").statusCode()).isEqualTo(404);
    assertThat(get(node, "/sluice.js.br", "Accept", "*/*").statusCode()).isEqualTo(404);
    HttpRequest post =
        request(node, "/sluice.js", "Accept", "*/*")
            .POST(HttpRequest.BodyPublishers.noBody())
            .build();
    HttpResponse<byte[]> refused = HTTP.send(post, HttpResponse.BodyHandlers.ofByteArray());
    assertThat(refused.statusCode()).isEqualTo(405);
  }

  @Test
  void shouldServeNothingIfDisabled() throws Exception {
    try (TestNode closed = TestNode.start(config().with(ServerSettings.CLIENT_FILES, false))) {
      assertThat(get(closed, "/sluice.js", "Accept", "*/*").statusCode()).isEqualTo(404);
      assertThat(get(closed, "/sluice.json", "Accept", "*/*").statusCode()).isEqualTo(404);
    }
  }

  private static HttpResponse<byte[]> get(TestNode from, String path, String name, String value)
      throws Exception {
    return HTTP.send(
        request(from, path, name, value).build(), HttpResponse.BodyHandlers.ofByteArray());
  }

  private static HttpRequest.Builder request(
      TestNode from, String path, String name, String value) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + from.gateway().port() + path))
        .header(name, value);
  }

  private static String header(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }
}
