package io.sluice.gateway.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reads by HTTP while the broker is lost. */
@Timeout(180)
final class HttpReadGapIT {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private static CompletableFuture<HttpResponse<String>> get(TestNode node, String query) {
    URI uri = URI.create("http://127.0.0.1:" + node.gateway().port() + "/topics/lossy" + query);
    return HTTP.sendAsync(
        HttpRequest.newBuilder(uri).header("Prefer", "wait=60").build(), BodyHandlers.ofString());
  }

  private static String header(HttpResponse<String> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }

  @Test
  void shouldReportAGapAndContinueBehindIt() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                TestNode.config(broker.provider(), broker.url()),
                BrokerSettings.LINGER,
                Duration.ofMinutes(2))) {
      node.awaitReady();
      String tail =
          header(get(node, "?offset=now").get(60, TimeUnit.SECONDS), "Stream-Next-Offset");
      CompletableFuture<HttpResponse<String>> waiting = get(node, "?live=long-poll&offset=" + tail);
      await().until(() -> node.metric("sluice_subscriptions") == 1);
      broker.kill();
      broker.restart();
      HttpResponse<String> gap = waiting.get(60, TimeUnit.SECONDS);
      assertThat(gap.statusCode()).isEqualTo(200);
      assertThat(header(gap, "Sluice-Gap")).isEqualTo("broker-lost");
      assertThat(gap.body()).startsWith("[{\"type\":\"gap\"").contains("broker-lost");
      try (TestPublisher publisher = new TestPublisher(broker.provider(), broker.url())) {
        publisher.text("lossy", "after");
      }
      HttpResponse<String> next =
          get(node, "?live=long-poll&offset=" + header(gap, "Stream-Next-Offset"))
              .get(60, TimeUnit.SECONDS);
      assertThat(next.body()).isEqualTo("[\"after\"]");
      assertThat(get(node, "?offset=" + tail).get(60, TimeUnit.SECONDS).statusCode())
          .as("a position before the gap")
          .isEqualTo(410);
    }
  }
}
