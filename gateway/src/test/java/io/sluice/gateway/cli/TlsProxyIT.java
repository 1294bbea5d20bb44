package io.sluice.gateway.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.TestProgram;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestCertificate;
import io.sluice.testkit.TestPublisher;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that come by TLS to an HAProxy before a node. */
@Tag("full")
@Timeout(180)
final class TlsProxyIT {
  private static final String HOST = "127.0.0.1";
  private static final String TOPIC = "behind.tls";
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir private static Path folder;

  private static TestCertificate certificate;
  private static TestBroker broker;
  private static TestNode node;
  private static Haproxy haproxy;

  @BeforeAll
  static void start() throws Exception {
    Optional<String> program = TestProgram.provide("haproxy");
    assumeTrue(program.isPresent(), "there is no HAProxy, see above");
    certificate = TestCertificate.create(folder, "proxy", "EC");
    broker = TestBroker.start("artemis");
    node =
        TestNode.start(
            TestNode.config("artemis", broker.url())
                .with(BrokerSettings.FORWARD_PROPERTIES, RuntimesIT.PROPERTIES));
    String listens = HOST + ":" + FreePorts.at(HOST);
    String there = HOST + ":" + node.gateway().port();
    haproxy = Haproxy.startWithTls(program.get(), folder, listens, there, certificate);
  }

  @AfterAll
  static void stop() {
    if (haproxy != null) {
      haproxy.close();
    }
    if (node != null) {
      node.close();
    }
    if (broker != null) {
      broker.close();
    }
  }

  @Test
  void shouldServeTheJavaScriptClientByEitherTransport() throws Exception {
    Map<String, String> trust = Map.of("NODE_EXTRA_CA_CERTS", certificate.certificate().toString());
    String url = "wss://" + haproxy.address() + "/ws";
    assertThat(BrowserScript.runWith(trust, "integration/run-in.mjs", "node", "runtime.mjs", url))
        .isEqualTo(RuntimesIT.GOOD);
  }

  @Test
  void shouldSendEachMessageBeforeTheNextIsPublishedByHttp2() throws Exception {
    String subscribe = "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"" + TOPIC + "\"}";
    HttpResponse<InputStream> answer = stream(subscribe);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
    try (InputStream frames = answer.body();
        TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
      readUntil(frames, "\"subscribed\"");
      for (String text : List.of("one", "two", "three")) {
        publisher.text(TOPIC, text);
        readUntil(frames, "\"" + text + "\"");
      }
    }
  }

  private static HttpResponse<InputStream> stream(String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("https://" + haproxy.address() + "/stream"))
            .timeout(TIMEOUT)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return HttpClient.newBuilder()
        .sslContext(certificate.trust())
        .version(HttpClient.Version.HTTP_2)
        .build()
        .send(request, HttpResponse.BodyHandlers.ofInputStream());
  }

  private static void readUntil(InputStream frames, String expected) throws IOException {
    StringBuilder read = new StringBuilder();
    byte[] piece = new byte[4096];
    while (read.indexOf(expected) < 0) {
      int length = frames.read(piece);
      assertThat(length).as("the stream continues after %s", read).isPositive();
      read.append(new String(piece, 0, length, ISO_8859_1));
    }
  }
}
