package io.sluice.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.TestProgram;
import io.sluice.testkit.BinaryMessage;
import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.ServerFrame;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients behind an nginx with the configuration of docs/operations/reverse-proxies.md; skipped if
 * nginx is not installed.
 */
@Timeout(180)
final class NginxIT {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir private static Path folder;

  private static TestBroker broker;
  private static TestNode first;
  private static TestNode second;
  private static Nginx nginx;
  private static Optional<String> program;

  @BeforeAll
  static void start() throws Exception {
    program = TestProgram.provide("nginx");
    assumeThat(program).as("nginx, see above").isPresent();
    broker = TestBroker.start("artemis");
    first = TestNode.start(TestNode.config("artemis", broker.url()));
    second = TestNode.start(TestNode.config("artemis", broker.url()));
    nginx = new Nginx(program.get(), folder, first, second);
  }

  @AfterAll
  static void stop() {
    if (nginx != null) {
      nginx.close();
    }
    Stream.of(first, second).filter(node -> node != null).forEach(TestNode::close);
    if (broker != null) {
      broker.close();
    }
  }

  private static InputStream stream(String protocol, String body) throws Exception {
    HttpResponse<InputStream> answer =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(
                        URI.create(
                            "http://"
                                + Nginx.HOST
                                + ":"
                                + nginx.port()
                                + "/stream?protocol="
                                + protocol))
                    .version(HttpClient.Version.HTTP_1_1)
                    .timeout(TIMEOUT)
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
  void shouldDeliverEachMessageBeforeTheNextIsPublished() throws Exception {
    String subscribe = "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"behind.nginx\"}";
    // One after the other, because nginx selects the nodes in turn.
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
        .atMost(TIMEOUT)
        .until(() -> first.gateway().connections() + second.gateway().connections() == 0);
  }

  @Test
  void shouldDeliverTheCloseFrameAndTheEnd() throws Exception {
    try (InputStream stream = stream("sluice.v1.json", "{\"type\":\"ping\",\"ref\":7}")) {
      read(stream, ClientFrame.TEXT, "\"pong\"");
      assertThat(read(stream, ClientFrame.CLOSE, "").closeCode()).isEqualTo(1000);
      assertThat(stream.read()).isEqualTo(-1);
    }
  }

  /** nginx performs no health checks and selects the nodes in turn. */
  @Test
  void shouldMoveTheWebSocketsOfADrainingNode(@TempDir Path own) throws Exception {
    try (TestNode serves = TestNode.start(TestNode.config("artemis", broker.url()));
        TestNode drains = TestNode.start(TestNode.config("artemis", broker.url()));
        Nginx before = new Nginx(program.orElseThrow(), own, serves, drains)) {
      assertThat(drains.command("/drain").statusCode()).isEqualTo(202);
      for (int i = 0; i < 4; i++) {
        try (RawWebSocket client = before.open()) {
          client.subscribe(1, "behind.nginx");
        }
      }
      assertThat(drains.metric("sluice_handshakes_refused_total{cause=\"503\"}")).isPositive();
    }
  }

  @Test
  void shouldProxyWebSocketsAsWell() {
    try (RawWebSocket client = nginx.open()) {
      client.subscribe(1, "behind.nginx");
    }
  }
}
