package io.sluice.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.admin.query.Tails;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tails of topics at a real node with a real broker. */
@Timeout(180)
final class TailIT {
  private TestBroker broker;
  private TestNode node;

  @BeforeEach
  void start() {
    broker = TestBroker.start("artemis");
    node =
        TestNode.start(
            TestNode.config("artemis", broker.url())
                .with(AdminSettings.TAIL_PAYLOAD, true)
                .with(AdminSettings.TAIL_MASK, List.of("account")));
    node.awaitReady();
  }

  @AfterEach
  void stop() {
    node.close();
    broker.close();
  }

  private HttpURLConnection open(String topic) throws IOException {
    String url = "http://127.0.0.1:%d/topics/%s/tail".formatted(node.gateway().adminPort(), topic);
    HttpURLConnection tail = (HttpURLConnection) URI.create(url).toURL().openConnection();
    tail.setReadTimeout(60_000);
    return tail;
  }

  private static JsonObject next(BufferedReader events) throws IOException {
    String line = events.readLine();
    while (line != null && !line.startsWith("data: ")) {
      line = events.readLine();
    }
    return new JsonObject(line.substring("data: ".length()));
  }

  private static BufferedReader reader(HttpURLConnection tail) throws IOException {
    return new BufferedReader(new InputStreamReader(tail.getInputStream(), StandardCharsets.UTF_8));
  }

  @Test
  void shouldSendMaskedMessagesAndRecordTheTail() throws Exception {
    try (RawWebSocket client = node.json();
        TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
      client.subscribe(1, "a.*");
      HttpURLConnection tail = open("a.b");
      try (BufferedReader events = reader(tail)) {
        assertThat(events.readLine()).isEqualTo(": tail");
        publisher.text("a.c", "other");
        publisher.text("a.b", "{\"account\":7,\"price\":1}");
        JsonObject event = next(events);
        assertThat(event.getString("topic")).isEqualTo("a.b");
        assertThat(event.getJsonObject("payload").encode())
            .isEqualTo("{\"account\":\"***\",\"price\":1}");
        assertThat(AdminOpenApi.DOCUMENT.root().at("/components/schemas/TailEvent/properties"))
            .isNotEmpty();
        assertThat(node.admin("/audit?kind=commanded").body()).contains("\"what\":\"tail\"");
      } finally {
        tail.disconnect();
      }
    }
  }

  @Tag("full")
  @Test
  void shouldNameTheReasonOfTheEnd() throws Exception {
    RawWebSocket client = node.json();
    client.subscribe(1, "a");
    HttpURLConnection tail = open("a");
    try (BufferedReader events = reader(tail)) {
      assertThat(events.readLine()).isEqualTo(": tail");
      client.close();
      assertThat(next(events).getString("reason"))
          .isEqualTo("no client of this node subscribes to it");
    } finally {
      tail.disconnect();
    }
  }

  @Tag("full")
  @Test
  void shouldEndWithTheTokenOfTheOperator() throws Exception {
    node.close();
    try (TestIssuer issuer = TestIssuer.start()) {
      TestKey key = TestKey.create("key", "ES256");
      issuer.publish(key);
      node =
          TestNode.start(
              TestNode.config("artemis", broker.url())
                  .with(AdminSettings.OIDC_ISSUER, issuer.url())
                  .with(AdminSettings.OIDC_CLIENT_ID, "sluice")
                  .with(AdminSettings.OIDC_ROLES, List.of("operator")));
      node.awaitReady();
      try (RawWebSocket client = node.json()) {
        client.subscribe(1, "a");
        JwtClaims claims = TestKey.claims();
        claims.setIssuer(issuer.url());
        claims.setClaim("roles", List.of("operator"));
        claims.setExpirationTime(TestKey.inSeconds(20));
        HttpURLConnection tail = open("a");
        tail.setRequestProperty("Authorization", "Bearer " + key.sign(claims));
        try (BufferedReader events = reader(tail)) {
          assertThat(next(events).getString("reason")).isEqualTo("the token has expired");
        } finally {
          tail.disconnect();
        }
      }
    }
  }

  @Test
  void shouldRefuseTopicsWithoutSubscribersAndTooManyTails() throws Exception {
    assertThat(AdminOpenApi.checked(node.admin("/topics/none/tail")).statusCode()).isEqualTo(404);
    List<HttpURLConnection> tails = new ArrayList<>();
    try (RawWebSocket client = node.json()) {
      client.subscribe(1, "a");
      for (int i = 0; i < Tails.MAX_TAILS; i++) {
        HttpURLConnection tail = open("a");
        tails.add(tail);
        assertThat(tail.getResponseCode()).isEqualTo(200);
      }
      assertThat(AdminOpenApi.checked(node.admin("/topics/a/tail")).statusCode()).isEqualTo(503);
      tails.forEach(HttpURLConnection::disconnect);
      await()
          .until(
              () -> {
                HttpURLConnection again = open("a");
                tails.add(again);
                int status = again.getResponseCode();
                again.disconnect();
                return status == 200;
              });
    } finally {
      tails.forEach(HttpURLConnection::disconnect);
    }
  }
}
