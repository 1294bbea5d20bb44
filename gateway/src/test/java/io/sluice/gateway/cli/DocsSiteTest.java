package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DocsSiteTest {
  private static final String HOST = "127.0.0.1";

  private final HttpClient client = HttpClient.newHttpClient();

  @TempDir private Path folder;
  private DocsSite docs;
  private int port;

  @BeforeEach
  void start() throws IOException {
    Path site = Files.createDirectories(folder.resolve("site"));
    Files.createDirectories(site.resolve("reference"));
    Files.writeString(site.resolve("index.html"), "home");
    Files.writeString(site.resolve("404.html"), "not found");
    Files.writeString(site.resolve("reference/index.html"), "reference");
    Files.writeString(site.resolve("reference/protocol.html"), "protocol");
    Files.writeString(site.resolve("app.js"), "script");
    Files.writeString(site.resolve("reference/asyncapi.yaml"), "asyncapi");
    Files.writeString(site.resolve("attacks.csv"), "table");
    Files.writeString(site.resolve("scan.txt"), "scan");
    Files.writeString(site.resolve("unknown.bin"), "bytes");
    Files.writeString(folder.resolve("secret.html"), "secret");
    docs = new DocsSite(site);
    port = docs.listen(HOST, 0).await().actualPort();
  }

  @AfterEach
  void stop() {
    docs.close();
  }

  @ParameterizedTest
  @CsvSource({
    "/, home, text/html; charset=utf-8",
    "/reference/, reference, text/html; charset=utf-8",
    "/reference/protocol, protocol, text/html; charset=utf-8",
    "/reference/protocol.html, protocol, text/html; charset=utf-8",
    "/reference/protocol?query, protocol, text/html; charset=utf-8",
    "/app.js, script, text/javascript; charset=utf-8",
    "/reference/asyncapi.yaml, asyncapi, application/x-yaml",
    "/attacks.csv, table, text/csv; charset=utf-8",
    "/scan.txt, scan, text/plain; charset=utf-8",
    "/unknown.bin, bytes, application/octet-stream",
  })
  void shouldServeTheFileOfAPath(String path, String body, String type) throws Exception {
    HttpResponse<String> response = request("GET", path);
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEqualTo(body);
    assertThat(response.headers().firstValue("Content-Type")).hasValue(type);
    assertThat(response.headers().firstValue("Content-Security-Policy")).isPresent();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/missing", "/reference", "/reference/protocol/", "/%00"})
  void shouldAnswerUnknownPathsWithThePageForThem(String path) throws Exception {
    HttpResponse<String> response = request("GET", path);
    assertThat(response.statusCode()).isEqualTo(404);
    assertThat(response.body()).isEqualTo("not found");
  }

  /** Without an HTTP client, which would resolve the path itself. */
  @ParameterizedTest
  @ValueSource(strings = {"/../secret.html", "/%2e%2e/secret", "/reference/../../secret.html"})
  void shouldNotLeaveItsFolder(String path) throws IOException {
    try (Socket socket = new Socket(HOST, port)) {
      String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      String response = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(response).startsWith("HTTP/1.1 404").doesNotContain("secret");
    }
  }

  @Test
  void shouldSendNoBodyForHead() throws Exception {
    HttpResponse<String> response = request("HEAD", "/");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEmpty();
  }

  @Test
  void shouldRejectOtherMethods() throws Exception {
    HttpResponse<String> response = request("POST", "/");
    assertThat(response.statusCode()).isEqualTo(405);
    assertThat(response.headers().firstValue("Allow")).hasValue("GET, HEAD");
  }

  private HttpResponse<String> request(String method, String path) throws Exception {
    URI uri = URI.create("http://" + HOST + ":" + port + path);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.noBody());
    return client.send(request.build(), BodyHandlers.ofString());
  }
}
