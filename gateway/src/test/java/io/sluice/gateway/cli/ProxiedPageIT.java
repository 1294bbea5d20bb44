package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.DocumentedBlock;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.TestProgram;
import io.sluice.gateway.TestScope;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFile;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.http.Nginx;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.TestCertificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Pages in a real browser behind each proxy of docs/operations/reverse-proxies.md, configured by
 * the blocks of that page. The proxies have short timeouts, and listen at a port that is not the
 * default of their scheme. The node lists no origins.
 *
 * <p>Runs alone: a browser without a processor for seconds exceeds the timeouts of the proxies.
 */
@Tag("alone")
@Timeout(300)
final class ProxiedPageIT {
  private static final String PAGE = "operations/reverse-proxies.md";
  private static final String HOST = "127.0.0.1";
  private static final String PROXY = "127.0.0.9";
  private static final String BROWSER = "127.0.0.1";
  private static final int IDLE_SECONDS = 4;
  private static final Duration PING = Duration.ofSeconds(1);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> GOOD =
      List.of("BY WEBSOCKET", "BY HTTP", "ADDRESS?", "STAY OPEN", "FOREIGN PAGE REFUSED");

  private static ArtemisProcess broker;
  private static Prices prices;

  @TempDir private Path folder;

  @BeforeAll
  static void start() throws Exception {
    broker = ArtemisProcess.start();
    prices = new Prices(broker.url());
    prices.start();
  }

  @AfterAll
  static void stop() {
    prices.close();
    broker.close();
  }

  private static String program(String name) throws Exception {
    Optional<String> program = TestProgram.provide(name);
    assumeTrue(program.isPresent(), "there is no " + name + ", see above");
    return program.get();
  }

  private static Config config() {
    return TestNode.config("artemis", broker.url())
        .with(ServerSettings.ALLOWED_ORIGINS, List.of())
        .with(TimeoutSettings.PING, PING);
  }

  /** Returns the configuration with the settings that the page shows for the header. */
  private Config withHeader() throws IOException {
    DocumentedBlock block = DocumentedBlock.of(PAGE, "node, header").with("10.0.0.5", PROXY);
    Path file = Files.writeString(folder.resolve("sluice.yaml"), block.text());
    Config read = ConfigFile.read(file, name -> null).config();
    return copy(read, ServerSettings.FORWARDED_HEADER)
        .apply(copy(read, ServerSettings.TRUSTED_PROXIES).apply(config()));
  }

  private static <T> UnaryOperator<Config> copy(Config from, Setting<T> setting) {
    return config -> config.with(setting, from.get(setting));
  }

  private static void assertServesPages(String url, TestNode node) throws Exception {
    List<String> said =
        BrowserScript.run(
            "browser/proxied.mjs",
            Map.of(
                "ADDRESS?",
                () -> {
                  assertThat(addresses(node)).containsExactly(BROWSER);
                  return "CHECKED";
                }),
            url,
            "stocks.7",
            "proxied.echo",
            String.valueOf(IDLE_SECONDS * 1500));
    assertThat(said).isEqualTo(GOOD);
  }

  private static TreeSet<String> addresses(TestNode node) throws IOException {
    TreeSet<String> found = new TreeSet<>();
    for (JsonNode each : JSON.readTree(node.admin("/clients").body()).path("clients")) {
      found.add(each.path("address").asText());
    }
    return found;
  }

  static Stream<Arguments> haproxies() {
    return TestScope.cases(
        2,
        Arguments.of(false, "header"),
        Arguments.of(true, "send-proxy-v2"),
        Arguments.of(true, "header"),
        Arguments.of(false, "send-proxy-v2"));
  }

  @Tag("full")
  @ParameterizedTest
  @MethodSource("haproxies")
  void shouldWorkBehindHaproxy(boolean tls, String address) throws Exception {
    String program = program("haproxy");
    boolean header = address.equals("header");
    Config config =
        header
            ? withHeader()
            : config()
                .with(ServerSettings.TRUSTED_PROXIES, List.of(PROXY))
                .with(ServerSettings.PROXY_PROTOCOL, true);
    try (TestNode node = TestNode.startWithPages(config)) {
      node.awaitReady();
      String listens = HOST + ":" + FreePorts.at(HOST);
      String server =
          Haproxy.server(HOST + ":" + node.gateway().port(), node.gateway().adminPort())
              + " source "
              + PROXY
              + (header ? "" : " " + address);
      DocumentedBlock block =
          Haproxy.documented(listens, List.of(server, server))
              .with("timeout tunnel 75s", "timeout tunnel " + IDLE_SECONDS + "s")
              .with("timeout client 30s", "timeout client " + IDLE_SECONDS + "s")
              .with("timeout server 30s", "timeout server " + IDLE_SECONDS + "s");
      if (tls) {
        block = block.with("    bind " + listens + "\n", secured(listens));
      }
      try (Haproxy haproxy = Haproxy.start(program, folder, listens, block)) {
        assertServesPages((tls ? "https://" : "http://") + haproxy.address() + "/", node);
      }
    }
  }

  private String secured(String listens) throws IOException {
    TestCertificate certificate = TestCertificate.create(folder, "proxy", "EC");
    String both = Files.readString(certificate.certificate()) + Files.readString(certificate.key());
    Path file = Files.writeString(folder.resolve("clients.pem"), both);
    return DocumentedBlock.of(PAGE, "haproxy, TLS")
        .with(":443", listens)
        .with("/etc/haproxy/clients.pem", file.toString())
        .text();
  }

  @Tag("full")
  @ParameterizedTest
  @CsvSource({"false", "true"})
  void shouldWorkBehindNginx(boolean tls) throws Exception {
    String program = program("nginx");
    try (TestNode node = TestNode.start(withHeader())) {
      node.awaitReady();
      Path pages = Files.createDirectory(folder.resolve("app"));
      Files.writeString(pages.resolve("index.html"), "<!doctype html><title>app</title>");
      int port = FreePorts.at(HOST);
      String server = HOST + ":" + node.gateway().port();
      DocumentedBlock block =
          Nginx.documented(port, server, server)
              .with("/var/www/app", pages.toString())
              .with("proxy_read_timeout 75s", "proxy_read_timeout " + IDLE_SECONDS + "s")
              .withEach(
                  "proxy_pass http://nodes;", "proxy_bind " + PROXY + "; proxy_pass http://nodes;");
      if (tls) {
        block = block.with("    listen " + HOST + ":" + port + ";\n", certified(port));
      }
      try (Nginx nginx = new Nginx(program, folder, port, block)) {
        assertServesPages((tls ? "https://" : "http://") + HOST + ":" + nginx.port() + "/", node);
      }
    }
  }

  private String certified(int port) throws IOException {
    TestCertificate certificate = TestCertificate.create(folder, "proxy", "EC");
    return DocumentedBlock.of(PAGE, "nginx, TLS")
        .with("listen 443", "listen " + HOST + ":" + port)
        .with("/etc/nginx/clients.crt", certificate.certificate().toString())
        .with("/etc/nginx/clients.key", certificate.key().toString())
        .text();
  }
}
