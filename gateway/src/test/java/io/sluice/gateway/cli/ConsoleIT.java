package io.sluice.gateway.cli;

import static io.sluice.gateway.auth.TestKey.claims;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Console of a real node in a real browser. */
@Timeout(300)
final class ConsoleIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TestKey KEY = TestKey.create("key", "ES256");
  private static final String TOKEN = "0123456789abcdef";
  private static final String HOSTILE = "<img src=x onerror=window.attacked=1>";
  private static final String FILLER = "x".repeat(64 * 1024);

  private final TestIssuer issuer = TestIssuer.start();
  private TestBroker broker;
  private TestNode node;

  @BeforeEach
  void start() {
    issuer.publish(KEY);
    broker = TestBroker.start("artemis");
    node = TestNode.start(config(broker)).operator(TOKEN);
    node.awaitReady();
  }

  private Config config(TestBroker broker) {
    return TestNode.unlimited(TestNode.config("artemis", broker.url()))
        .with(AdminSettings.TOKEN, TOKEN)
        .with(AuthSettings.ANONYMOUS, false)
        .with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl())
        .with(LimitSettings.PENDING_BYTES, 8L << 20)
        .with(ServerSettings.SEND_BUFFER, 64L << 10)
        .with(
            TopicSettings.PERMISSION_RULES,
            List.of(new PermissionRule(Map.of(), List.of("prices.>"), List.of())));
  }

  @AfterEach
  void stop() {
    node.close();
    broker.close();
    issuer.close();
  }

  private static RawWebSocket client(String subject, RawWebSocket.Request request) {
    JwtClaims claims = claims();
    claims.setSubject(subject);
    return request
        .subprotocols(Encoding.JSON_SUBPROTOCOL)
        .set("Authorization", "Bearer " + KEY.sign(claims))
        .open();
  }

  private long mostPendingBytes() throws Exception {
    String body = node.admin("/clients?sort=pending").body();
    return JSON.readTree(body).at("/clients/0/pending-bytes").asLong();
  }

  private static String publish(TestPublisher publisher) throws JMSException {
    publisher.text("prices.quiet", "hello");
    return "published";
  }

  private static void publishHot(TestPublisher publisher) {
    try {
      publisher.text("prices.hot", "hello");
    } catch (JMSException e) {
      throw new IllegalStateException(e);
    }
  }

  private List<String> script(String name, Map<String, Callable<String>> requests, String... more)
      throws Exception {
    String url = "http://127.0.0.1:" + node.gateway().adminPort();
    String[] arguments = new String[more.length + 2];
    arguments[0] = url;
    arguments[1] = TOKEN;
    System.arraycopy(more, 0, arguments, 2, more.length);
    return BrowserScript.run("../gateway/admin/console/test/" + name, requests, arguments);
  }

  @Tag("full")
  @Test
  void shouldShowItsViewsAfterLogin() throws Exception {
    node.revoke("subject", HOSTILE);
    assertThat(script("real-node.mjs", Map.of(), HOSTILE))
        .containsExactly(
            "FRAME IS EMPTY", "WRONG TOKEN IS REFUSED", "VIEWS ARE SHOWN", "HOSTILE NAME IS TEXT");
  }

  @Tag("full")
  @Test
  void shouldAnswerTheQuestionsOfOperators() throws Exception {
    RawWebSocket.Request blocked = node.request().receiveBuffer(16 * 1024);
    ScheduledExecutorService hot = Executors.newSingleThreadScheduledExecutor();
    try (TestPublisher publisher = new TestPublisher("artemis", broker.url());
        TestPublisher other = new TestPublisher("artemis", broker.url());
        RawWebSocket alice = client("alice", node.request());
        RawWebSocket slow = client("slow", blocked)) {
      alice.subscribe(1, "prices.quiet");
      alice.subscribe(2, "prices.hot");
      slow.subscribe(1, "prices.busy");
      await()
          .atMost(60, SECONDS)
          .until(
              () -> {
                publisher.text("prices.busy", FILLER);
                return mostPendingBytes() > 0;
              });
      // Rates are those of the last seconds, so this continues until the script has read them.
      hot.scheduleWithFixedDelay(() -> publishHot(other), 0, 200, MILLISECONDS);
      assertThat(script("real-questions.mjs", Map.of("PUBLISH", () -> publish(publisher))))
          .containsExactly(
              "NO DATA: PERMISSION",
              "PUBLISH",
              "SUBSCRIBER: alice",
              "HOTTEST: prices.hot",
              "SLOWEST: slow",
              "DISCONNECTED: slow");
      hot.shutdown();
      assertThat(hot.awaitTermination(60, SECONDS)).isTrue();
    } finally {
      hot.shutdownNow();
    }
  }
}
