package io.sluice.gateway.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.BinaryMessage;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.TestProgram;
import io.sluice.gateway.TestPublisher;
import io.sluice.gateway.broker.TestBroker;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients behind an nginx that is configured by the very text of docs/operations/deploy.md; skipped
 * where none is to be had.
 */
@Timeout(120)
final class NginxIT {
  private static final Path PAGE = Path.of("..", "docs", "operations", "deploy.md");
  private static final String BEGIN = "<!-- nginx: run by a test -->\n```\n";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String HOST = InetAddress.getLoopbackAddress().getHostAddress();

  @TempDir private static Path folder;

  private static TestBroker broker;
  private static TestNode first;
  private static TestNode second;
  private static Process nginx;
  private static int port;

  @BeforeAll
  static void start() throws Exception {
    Optional<String> program = TestProgram.provide("nginx");
    assumeThat(program).as("nginx, see above").isPresent();
    broker = TestBroker.start("artemis");
    first = TestNode.start(TestNode.config("artemis", broker.url()));
    second = TestNode.start(TestNode.config("artemis", broker.url()));
    port = freePort();
    Path configuration = Files.writeString(folder.resolve("nginx.conf"), configuration());
    nginx =
        new ProcessBuilder(program.get(), "-e", "stderr", "-p", folder + "/", "-c", "nginx.conf")
            .directory(folder.toFile())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    await("nginx listens, told by " + configuration).atMost(PATIENCE).until(NginxIT::listens);
  }

  @AfterAll
  static void stop() {
    if (nginx != null) {
      nginx.destroy();
      nginx.onExit().join();
    }
    Stream.of(first, second).filter(node -> node != null).forEach(TestNode::close);
    if (broker != null) {
      broker.close();
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static String configuration() throws IOException {
    String text = Files.readString(PAGE, UTF_8);
    int begin = text.indexOf(BEGIN) + BEGIN.length();
    String page = text.substring(begin, text.indexOf("```\n", begin));
    String ours = replace(page, "listen 80;", "listen " + HOST + ":" + port + ";");
    ours = replace(ours, "10.0.0.11:8080", HOST + ":" + first.gateway().port());
    ours = replace(ours, "10.0.0.12:8080", HOST + ":" + second.gateway().port());
    StringBuilder temporary = new StringBuilder("access_log off;\n");
    for (String of : List.of("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) {
      temporary.append(of).append("_temp_path ").append(of).append(";\n");
    }
    return "daemon off;\nmaster_process off;\npid nginx.pid;\nevents {}\nhttp {\n"
        + temporary
        + ours
        + "}\n";
  }

  private static String replace(String text, String one, String by) {
    assertThat(text).containsOnlyOnce(one);
    return text.replace(one, by);
  }

  private static boolean listens() {
    assertThat(nginx.isAlive()).as("nginx runs").isTrue();
    try (Socket socket = new Socket(HOST, port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private static InputStream stream(String protocol, String body) throws Exception {
    HttpResponse<InputStream> answer =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(
                        URI.create("http://" + HOST + ":" + port + "/stream?protocol=" + protocol))
                    .version(HttpClient.Version.HTTP_1_1)
                    .timeout(PATIENCE)
                    .POST(HttpRequest.BodyPublishers.ofString(body))
                    .build(),
                HttpResponse.BodyHandlers.ofInputStream());
    assertThat(answer.statusCode()).isEqualTo(200);
    return answer.body();
  }

  private static ServerFrame read(InputStream stream, int opcode, String expected)
      throws IOException {
    for (ServerFrame frame = ServerFrame.read(stream);
        frame != null;
        frame = ServerFrame.read(stream)) {
      if (frame.opcode() == opcode && frame.text().contains(expected)) {
        return frame;
      }
    }
    throw new AssertionError("the stream ended before " + expected);
  }

  @Test
  void shouldBringEachMessageBeforeTheNextIsPublished() throws Exception {
    String subscribe = "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"behind.nginx\"}";
    // One after the other, as nginx goes from node to node.
    try (InputStream json = stream("sluice.v1.json", subscribe);
        InputStream binary = stream("sluice.v1.bin", subscribe);
        TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
      read(json, ClientFrame.TEXT, "subscribed");
      read(binary, ClientFrame.TEXT, "subscribed");
      for (int i = 1; i <= 20; i++) {
        publisher.text("behind.nginx", "message " + i);
        read(json, ClientFrame.TEXT, "\"message " + i + "\"");
        ServerFrame message = read(binary, ClientFrame.BINARY, "message");
        assertThat(BinaryMessage.read(message.payload()).text()).isEqualTo("message " + i);
      }
      assertThat(first.metric("sluice_streams") + second.metric("sluice_streams")).isEqualTo(2);
    }
    await()
        .atMost(PATIENCE)
        .until(() -> first.gateway().connections() + second.gateway().connections() == 0);
  }

  @Test
  void shouldBringTheCloseFrameAndTheEnd() throws Exception {
    try (InputStream stream = stream("sluice.v1.json", "{\"type\":\"ping\",\"ref\":7}")) {
      read(stream, ClientFrame.TEXT, "\"pong\"");
      assertThat(read(stream, ClientFrame.CLOSE, "").closeCode()).isEqualTo(1000);
      assertThat(stream.read()).isEqualTo(-1);
    }
  }

  @Test
  void shouldLetWebSocketsThroughBesideThem() {
    try (RawWebSocket client = RawWebSocket.to(HOST, port, "/ws").open()) {
      client.subscribe(1, "behind.nginx");
    }
  }
}
