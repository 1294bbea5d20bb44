package io.sluice.gateway.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestCluster;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestCertificate;
import io.sluice.testkit.TestPublisher;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Event streams that share a connection of HTTP/2. */
final class EventHttp2IT {
  private static final int STREAMS = 20;

  @TempDir private static Path folder;

  private static HttpClient client(TestCertificate certificate) {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_2)
        .sslContext(certificate.trust())
        .build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldShareOneConnection(String engine) throws Exception {
    TestCertificate certificate = TestCertificate.create(folder, engine, "EC");
    HttpClient http = client(certificate);
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = TestNode.start(config(broker, certificate, engine));
        TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
      String url = "https://localhost:" + node.gateway().port() + "/topics/";
      List<EventClient> clients = new ArrayList<>();
      for (int i = 0; i < STREAMS; i++) {
        clients.add(EventClient.open(http, url + "open." + i));
        assertThat(clients.get(i).status()).isEqualTo(200);
        assertThat(clients.get(i).response().version()).isEqualTo(HttpClient.Version.HTTP_2);
      }
      assertThat(node.metric("sluice_connections")).isEqualTo(STREAMS);
      for (int i = 0; i < STREAMS; i++) {
        publisher.text("open." + i, "to " + i);
        assertThat(clients.get(i).messages(1)).containsExactly("to " + i);
      }
      assertThat(refused(http, url + "closed")).isEqualTo(403);
      clients.remove(0).close();
      await().until(() -> node.metric("sluice_connections") == STREAMS - 1);
      publisher.text("open.1", "again");
      assertThat(clients.get(0).messages(1)).containsExactly("again");
      assertThat(node.command("/drain").statusCode()).isEqualTo(202);
      try (EventClient later = EventClient.open(client(certificate), url + "open.1")) {
        assertThat(later.next().type()).isEqualTo("end");
        assertThat(later.retryMs).as("for EventSource").isPositive();
      }
      node.gateway().drainAndStop();
      for (EventClient each : clients) {
        assertThat(each.next().type()).isEqualTo("end");
      }
    }
  }

  @Test
  void shouldCloseASlowStreamAlone() throws Exception {
    TestCertificate certificate = TestCertificate.create(folder, "slow", "EC");
    HttpClient http = client(certificate);
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestCluster.start(
                config(broker, certificate, "auto").with(LimitSettings.PENDING_BYTES, 65_536L));
        TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
      String url = "https://localhost:" + node.gateway().port();
      EventClient other = EventClient.open(http, url + "/topics/open.other");
      HttpRequest slow =
          HttpRequest.newBuilder(URI.create(url + "/topics/open.slow"))
              .header("Accept", "text/event-stream")
              .build();
      var unread = http.send(slow, HttpResponse.BodyHandlers.ofInputStream());
      assertThat(unread.statusCode()).isEqualTo(200);
      String payload = "x".repeat(60_000);
      await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () -> {
                for (int i = 0; i < 100; i++) {
                  publisher.text("open.slow", payload);
                }
                return node.metric("sluice_connections") == 1;
              });
      assertThat(node.openMetrics()).contains("slow-consumer");
      publisher.text("open.other", "1");
      assertThat(other.messages(1)).containsExactly("1");
    }
  }

  @Test
  void shouldServeStreamsOfFrames() throws Exception {
    TestCertificate certificate = TestCertificate.create(folder, "frames", "EC");
    Config config = TestNode.config("artemis", "tcp://127.0.0.1:1");
    try (TestNode node =
        TestNode.start(
            config
                .with(ServerSettings.TLS_CERTIFICATE, certificate.certificate().toString())
                .with(ServerSettings.TLS_KEY, certificate.key().toString()))) {
      URI url = URI.create("https://localhost:" + node.gateway().port() + "/stream");
      String ping = "{\"type\":\"ping\",\"ref\":7}";
      HttpRequest request =
          HttpRequest.newBuilder(url).POST(HttpRequest.BodyPublishers.ofString(ping)).build();
      var answer = client(certificate).send(request, HttpResponse.BodyHandlers.ofString());
      assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).contains("\"type\":\"pong\",\"ref\":7");
    }
  }

  private static Config config(TestBroker broker, TestCertificate certificate, String engine) {
    return TestNode.unlimited(TestNode.config("artemis", broker.url()))
        .with(TopicSettings.SUBSCRIBE_TOPICS, List.of("open.>"))
        .with(TimeoutSettings.DRAIN, Duration.ofSeconds(2))
        .with(ServerSettings.TLS_CERTIFICATE, certificate.certificate().toString())
        .with(ServerSettings.TLS_KEY, certificate.key().toString())
        .with(ServerSettings.TLS_ENGINE, engine);
  }

  private static int refused(HttpClient http, String url) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url)).header("Accept", "text/event-stream").build();
    return http.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
  }
}
