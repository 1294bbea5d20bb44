package io.sluice.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.sluice.gateway.Gateway;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.LoggedEvents;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of the console, and requests of its page, at the admin port of a real node. */
@Timeout(180)
@Isolated("observes the whole process")
final class ConsoleFilesIT {
  private static final String TOKEN = "0123456789abcdef";
  private static final Pattern ASSET = Pattern.compile("assets/[0-9a-f]{16}\\.(?:js|css|svg)");

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** Node whose broker is not reachable. */
  private static Config config() {
    return TestNode.config("artemis", "tcp://127.0.0.1:1");
  }

  private HttpResponse<String> send(TestNode node, String method, String path, String... headers)
      throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + node.gateway().adminPort() + path);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri).method(method, BodyPublishers.noBody());
    if (headers.length > 0) {
      request.headers(headers);
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> get(TestNode node, String path, String... headers) throws Exception {
    return send(node, "GET", path, headers);
  }

  private static String header(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }

  /** Raw request, whose path no client normalizes. */
  private static int raw(TestNode node, String request) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", node.gateway().adminPort())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      InputStream in = socket.getInputStream();
      return Integer.parseInt(
          new String(in.readNBytes(12), StandardCharsets.US_ASCII).substring(9));
    }
  }

  @Test
  void shouldServeThePageWithoutTokenAndWithStrictPolicy() throws Exception {
    try (TestNode node = TestNode.start(config(), AdminSettings.TOKEN, TOKEN)) {
      HttpResponse<String> page = get(node, "/console/");
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.body()).contains("<title>Sluice console</title>").doesNotContain(TOKEN);
      assertThat(header(page, "Content-Security-Policy"))
          .contains("default-src 'none'", "frame-ancestors 'none'", "trusted-types 'none'")
          .doesNotContain("unsafe", "*", "http:", "https:", "data:");
      assertThat(header(page, "X-Content-Type-Options")).isEqualTo("nosniff");
      assertThat(header(page, "Cache-Control")).isEqualTo("no-cache");
      assertThat(get(node, "/console/", "If-None-Match", header(page, "ETag")).statusCode())
          .isEqualTo(304);
      assertThat(get(node, "/cluster").statusCode()).isEqualTo(401);
    }
  }

  @Test
  void shouldLogTheAddressOfTheConsole() throws Exception {
    try (LoggedEvents events = LoggedEvents.of(Gateway.class, Level.INFO);
        TestNode node = TestNode.start(config())) {
      String address = "http://127.0.0.1:" + node.gateway().adminPort() + "/console/";
      assertThat(events.pairs("node.started")).contains("console=\"" + address + "\"");
      assertThat(get(node, "/console/").statusCode()).isEqualTo(200);
    }
    try (LoggedEvents events = LoggedEvents.of(Gateway.class, Level.INFO);
        TestNode node = TestNode.start(config().with(AdminSettings.CONSOLE, false))) {
      assertThat(events.pairs("node.started")).contains("console=\"off\"");
      assertThat(get(node, "/console/").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void shouldServeEachAssetOfThePage() throws Exception {
    try (TestNode node = TestNode.start(config())) {
      List<String> assets =
          ASSET.matcher(get(node, "/console/").body()).results().map(MatchResult::group).toList();
      assertThat(assets).hasSize(3);
      for (String asset : assets) {
        HttpResponse<String> file = get(node, "/console/" + asset);
        assertThat(file.statusCode()).as(asset).isEqualTo(200);
        assertThat(header(file, "Cache-Control")).contains("immutable");
        HttpResponse<String> compressed = get(node, "/console/" + asset, "Accept-Encoding", "gzip");
        assertThat(header(compressed, "Content-Encoding")).isEqualTo("gzip");
        assertThat(send(node, "HEAD", "/console/" + asset).statusCode()).isEqualTo(200);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/console/../cluster",
        "/console/assets/../index.html",
        "/console/assets/..%2f..%2findex.html",
        "/console/assets/%2e%2e/index.html",
        "/console//index.html",
        "/console/assets/0123456789abcdef.js%00.css",
        "/console/assets/../../sluice/index.js",
        "/console/licenses.txt.gz",
        "/console/assets/"
      })
  void shouldRefusePathsOfOtherFiles(String path) throws Exception {
    try (TestNode node = TestNode.start(config())) {
      assertThat(raw(node, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")).isEqualTo(404);
    }
  }

  @Test
  void shouldRefuseTokensInAddressesAndOtherMethods() throws Exception {
    try (TestNode node = TestNode.start(config(), AdminSettings.TOKEN, TOKEN)) {
      assertThat(get(node, "/console/?token=" + TOKEN).statusCode()).isEqualTo(400);
      assertThat(get(node, "/cluster?token=" + TOKEN).statusCode()).isEqualTo(401);
      assertThat(send(node, "POST", "/console/").statusCode()).isEqualTo(405);
      HttpResponse<String> moved = get(node, "/console");
      assertThat(moved.statusCode()).isEqualTo(308);
      assertThat(header(moved, "Location")).isEqualTo("console/");
    }
  }

  @Test
  void shouldAdmitOnlyItsOwnPageWithoutTokens() throws Exception {
    try (TestNode node = TestNode.start(config())) {
      String own = "http://127.0.0.1:" + node.gateway().adminPort();
      String site = "Sec-Fetch-Site";
      assertThat(get(node, "/cluster", site, "same-origin").statusCode()).isEqualTo(200);
      assertThat(get(node, "/cluster", "Origin", own).statusCode()).isEqualTo(200);
      assertThat(get(node, "/cluster", "Origin", own, site, "cross-site").statusCode())
          .isEqualTo(403);
      assertThat(get(node, "/cluster", site, "same-site").statusCode()).isEqualTo(403);
      assertThat(get(node, "/cluster", "Origin", "null").statusCode()).isEqualTo(403);
      assertThat(get(node, "/cluster", "Origin", "http://127.0.0.1:1").statusCode()).isEqualTo(403);
      String rebound =
          "GET /cluster HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n"
              + "Sec-Fetch-Site: same-origin\r\n\r\n";
      assertThat(raw(node, rebound)).isEqualTo(403);
    }
  }

  @Test
  void shouldServeNoConsoleWhereItIsDisabled() throws Exception {
    try (TestNode node = TestNode.start(config(), AdminSettings.CONSOLE, false)) {
      assertThat(get(node, "/console/").statusCode()).isEqualTo(404);
      assertThat(get(node, "/cluster", "Sec-Fetch-Site", "same-origin").statusCode())
          .isEqualTo(403);
    }
  }
}
