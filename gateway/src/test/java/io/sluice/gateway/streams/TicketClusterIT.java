package io.sluice.gateway.streams;

import static io.sluice.gateway.auth.TestKey.claims;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.TestCluster;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.TestBroker;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tickets in a cluster of two nodes. */
@Timeout(240)
final class TicketClusterIT {
  private static final TestKey KEY = TestKey.create("key", "ES256");
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private static Config config(TestCluster cluster, TestIssuer issuer, int node) {
    return TestNode.unlimited(cluster.config(node))
        .with(AuthSettings.ANONYMOUS, false)
        .with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl())
        .with(ClusterSettings.SECRET, "a secret of both nodes");
  }

  private static String ticket(TestNode node) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + node.gateway().port() + "/ticket?topic=a");
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .POST(HttpRequest.BodyPublishers.noBody())
            .header("Authorization", "Bearer " + KEY.sign(claims()))
            .build();
    String body = HTTP.send(request, BodyHandlers.ofString()).body();
    return new ObjectMapper().readTree(body).get("ticket").asText();
  }

  private static int read(TestNode node, String ticket) throws Exception {
    URI uri =
        URI.create(
            "http://127.0.0.1:" + node.gateway().port() + "/topics/a?offset=now&ticket=" + ticket);
    return HTTP.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).statusCode();
  }

  @Test
  void shouldBeUsedOnceInTheClusterAlsoAfterTheLossOfItsNode() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestIssuer issuer = TestIssuer.start()) {
      issuer.publish(KEY);
      TestCluster cluster = new TestCluster("tickets", broker, 2);
      TestNode first = TestCluster.start(config(cluster, issuer, 0));
      try (TestNode second = TestCluster.start(config(cluster, issuer, 1))) {
        // A use that the other node has not been notified of yet succeeds there.
        await()
            .atMost(Duration.ofMinutes(1))
            .until(
                () -> {
                  String used = ticket(first);
                  assertThat(read(first, used)).isEqualTo(200);
                  return read(second, used) == 401;
                });
        String left = ticket(first);
        first.close();
        assertThat(read(second, left)).as("its node has ended").isEqualTo(200);
        assertThat(read(second, left)).as("again").isEqualTo(401);
      } finally {
        first.close();
      }
    }
  }
}
