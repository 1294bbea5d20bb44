package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.DocumentedBlock;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.TestProgram;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.RawWebSocket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients behind proxies that report their addresses by a header, configured as in
 * docs/how-to/security.md. Each client also sends such a header, which must be ignored.
 */
@Timeout(180)
final class ForwardedIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final String HOST = "127.0.0.1";
  private static final String HOST_6 = "::1";
  private static final String PROXY = "127.0.0.9";

  @TempDir private static Path folder;

  private static TestNode byForwarded;
  private static TestNode byXForwardedFor;

  @BeforeAll
  static void start() {
    byForwarded = node("forwarded");
    byXForwardedFor = node("x-forwarded-for");
  }

  @AfterAll
  static void stop() {
    byForwarded.close();
    byXForwardedFor.close();
  }

  private static TestNode node(String header) {
    Config config =
        TestNode.config("artemis", "tcp://127.0.0.1:1")
            .with(ServerSettings.TRUSTED_PROXIES, List.of(PROXY))
            .with(ServerSettings.FORWARDED_HEADER, header);
    return TestNode.start(config);
  }

  private static String program(String name) throws Exception {
    Optional<String> program = TestProgram.provide(name);
    assumeThat(program).as(name + ", see above").isPresent();
    return program.get();
  }

  /** A port that is free on both addresses of this machine, of either version. */
  private static int freePort() throws IOException {
    int port = FreePorts.at(HOST);
    try (Socket probe = new Socket()) {
      probe.bind(new InetSocketAddress(HOST_6, port));
    } catch (IOException e) {
      assumeThat(e).as("IPv6 on this machine").isNull();
    }
    return port;
  }

  private static String text(String mark) throws IOException {
    return DocumentedBlock.of("how-to/security.md", mark).text();
  }

  private static void assertSeesClients(TestNode node, int port) throws IOException {
    assertThat(addressSeen(node, RawWebSocket.to(HOST, port, "/ws").from("127.0.0.21")))
        .isEqualTo("127.0.0.21");
    assertThat(addressSeen(node, RawWebSocket.to(HOST_6, port, "/ws")))
        .isIn("::1", "0:0:0:0:0:0:0:1");
  }

  private static String addressSeen(TestNode node, RawWebSocket.Request request)
      throws IOException {
    try (RawWebSocket client =
        request
            .set("Host", "localhost")
            .set("Forwarded", "for=203.0.113.9")
            .set("X-Forwarded-For", "203.0.113.9")
            .open()) {
      client.text("{\"type\":\"connect\"}");
      String session = client.await("hello").path("session").asText();
      return JSON.readTree(node.admin("/clients/" + session).body()).path("address").asText();
    }
  }

  @Test
  void shouldBeSeenThroughHaproxyByForwarded() throws Exception {
    String program = program("haproxy");
    int port = freePort();
    try (Haproxy haproxy =
        Haproxy.start(
            program,
            folder,
            HOST + ":" + port,
            HOST + ":" + byForwarded.gateway().port() + " source " + PROXY,
            "bind [" + HOST_6 + "]:" + port + "\n" + text("haproxy, Forwarded"))) {
      assertThat(haproxy.address()).endsWith(":" + port);
      assertSeesClients(byForwarded, port);
    }
  }

  @Test
  void shouldBeSeenThroughNginxByEitherHeader() throws Exception {
    String program = program("nginx");
    int forwarded = freePort();
    int xForwardedFor = freePort();
    Files.writeString(
        folder.resolve("nginx.conf"),
        "daemon off;\nmaster_process off;\npid nginx.pid;\nevents {}\nhttp {\naccess_log off;\n"
            + temporaryFolders()
            + text("nginx, map")
            + server(forwarded, byForwarded, text("nginx, Forwarded"))
            + server(xForwardedFor, byXForwardedFor, text("nginx, X-Forwarded-For"))
            + "}\n");
    Process nginx =
        new ProcessBuilder(program, "-e", "stderr", "-p", folder + "/", "-c", "nginx.conf")
            .directory(folder.toFile())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      await("nginx listens").atMost(TIMEOUT).until(() -> listens(nginx, xForwardedFor));
      assertSeesClients(byForwarded, forwarded);
      assertSeesClients(byXForwardedFor, xForwardedFor);
    } finally {
      nginx.destroy();
      nginx.onExit().join();
    }
  }

  private static String temporaryFolders() {
    StringBuilder lines = new StringBuilder();
    for (String of : List.of("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) {
      lines.append(of).append("_temp_path ").append(of).append(";\n");
    }
    return lines.toString();
  }

  private static String server(int port, TestNode node, String header) {
    return """
    server {
        listen %1$s:%3$d;
        listen [%2$s]:%3$d;
        location / {
            proxy_pass http://%1$s:%4$d;
            proxy_bind %5$s;
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection upgrade;
            %6$s
        }
    }
    """
        .formatted(HOST, HOST_6, port, node.gateway().port(), PROXY, header);
  }

  private static boolean listens(Process nginx, int port) {
    assertThat(nginx.isAlive()).as("nginx runs").isTrue();
    try (Socket socket = new Socket(HOST, port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }
}
