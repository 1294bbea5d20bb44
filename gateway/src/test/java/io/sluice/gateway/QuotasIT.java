package io.sluice.gateway;

import static io.sluice.gateway.auth.TestKey.claims;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Quotas of a principal, of an address and of all clients, over all sessions. */
@Timeout(180)
final class QuotasIT {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final String LIMITED = "errorrate-limited";
  private static final TestKey KEY = TestKey.create("key", "ES256");

  private static TestIssuer issuer;
  private static TestBroker broker;

  @BeforeAll
  static void start() {
    issuer = TestIssuer.start();
    issuer.publish(KEY);
    broker = TestBroker.start("artemis");
  }

  @AfterAll
  static void stop() {
    broker.close();
    issuer.close();
  }

  /** Scope of a limit. */
  private enum Whose {
    PRINCIPAL(LimitSettings.PRINCIPAL_SUBSCRIPTIONS, LimitSettings.PRINCIPAL_PUBLISH_RATE),
    ADDRESS(LimitSettings.ADDRESS_SUBSCRIPTIONS, LimitSettings.ADDRESS_PUBLISH_RATE),
    NODE(LimitSettings.NODE_SUBSCRIPTIONS, LimitSettings.NODE_PUBLISH_RATE);

    final Setting<Integer> subscriptions;
    final Setting<Integer> publishRate;

    Whose(Setting<Integer> subscriptions, Setting<Integer> publishRate) {
      this.subscriptions = subscriptions;
      this.publishRate = publishRate;
    }

    RawWebSocket first(TestNode node) {
      return client(node, "alice", "127.0.0.21");
    }

    /** Another that has nothing else in common with the first. */
    RawWebSocket second(TestNode node) {
      return switch (this) {
        case PRINCIPAL -> client(node, "alice", "127.0.0.22");
        case ADDRESS -> client(node, "bob", "127.0.0.21");
        case NODE -> stranger(node);
      };
    }

    /** One that has nothing in common with the others, but the node. */
    static RawWebSocket stranger(TestNode node) {
      return client(node, "carol", "127.0.0.23");
    }
  }

  private static <T> TestNode node(Setting<T> limit, T value) {
    Config config =
        TestNode.unlimited(TestNode.config("artemis", broker.url()))
            .with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl())
            .with(limit, value);
    TestNode node = TestNode.start(config);
    await()
        .atMost(TIMEOUT)
        .until(() -> node.metric("sluice_broker_connected{source=\"jms\"}") == 1);
    return node;
  }

  /** A client that is in. */
  private static RawWebSocket client(TestNode node, String subject, String address) {
    RawWebSocket client = connect(node, subject, address);
    client.await("hello");
    return client;
  }

  private static RawWebSocket connect(TestNode node, String subject, String address) {
    JwtClaims claims = claims();
    claims.setSubject(subject);
    RawWebSocket client = node.request().from(address).open();
    client.text("{\"type\":\"connect\",\"token\":\"" + KEY.sign(claims) + "\"}");
    return client;
  }

  private static double reached(TestNode node, Setting<?> limit) {
    return node.metric("sluice_limits_reached_total{limit=\"" + limit.key() + "\"}");
  }

  private static String publish(RawWebSocket client, int ref, String payload) {
    client.text(
        "{\"type\":\"publish\",\"ref\":%d,\"topic\":\"shares\",\"payload\":\"%s\"}"
            .formatted(ref, payload));
    JsonNode answer = answer(client, ref);
    return answer.path("type").asText() + answer.path("code").asText();
  }

  @Test
  void shouldBoundTheConnectionsOfOnePrincipal() {
    try (TestNode node = node(LimitSettings.PRINCIPAL_CONNECTIONS, 2);
        RawWebSocket first = Whose.PRINCIPAL.first(node);
        RawWebSocket other = Whose.stranger(node)) {
      RawWebSocket second = Whose.PRINCIPAL.second(node);
      try (RawWebSocket third = connect(node, "alice", "127.0.0.24")) {
        assertThat(third.awaitClose()).isEqualTo(4003);
      }
      assertThat(reached(node, LimitSettings.PRINCIPAL_CONNECTIONS)).isEqualTo(1);
      second.close();
      awaitAlice(node);
      assertThat(first.status() + other.status()).isEqualTo(202);
    }
  }

  @Test
  void shouldLimitTheHandshakeRateOfAPrincipal() {
    try (TestNode node = node(LimitSettings.PRINCIPAL_HANDSHAKE_RATE, 1)) {
      // Where the machine is slow, not each comes within a second of the one before.
      await().atMost(TIMEOUT).until(() -> !enters(node));
      assertThat(reached(node, LimitSettings.PRINCIPAL_HANDSHAKE_RATE)).isEqualTo(1);
      Whose.stranger(node).close();
      awaitAlice(node);
    }
  }

  private static void awaitAlice(TestNode node) {
    await().atMost(TIMEOUT).ignoreExceptionsMatching(e -> true).until(() -> enters(node));
  }

  private static boolean enters(TestNode node) {
    try (RawWebSocket again = connect(node, "alice", "127.0.0.24")) {
      return again.readJson().path("type").asText().equals("hello");
    } catch (AssertionError closed) {
      return false;
    }
  }

  @ParameterizedTest
  @EnumSource(Whose.class)
  void shouldBoundTheSubscriptions(Whose whose) {
    try (TestNode node = node(whose.subscriptions, 2);
        RawWebSocket second = whose.second(node)) {
      RawWebSocket first = whose.first(node);
      first.subscribe(1, "one");
      second.subscribe(1, "one");
      second.text("{\"type\":\"subscribe\",\"ref\":2,\"topic\":\"two\"}");
      assertThat(second.await("error").path("code").asText()).isEqualTo("too-many-topics");
      assertThat(reached(node, whose.subscriptions)).isEqualTo(1);
      second.text("{\"type\":\"unsubscribe\",\"ref\":3,\"topic\":\"one\"}");
      second.await("unsubscribed");
      second.subscribe(4, "two");
      first.close();
      await().atMost(TIMEOUT).until(() -> node.metric("sluice_subscriptions") == 1);
      second.subscribe(5, "three");
    }
  }

  @ParameterizedTest
  @EnumSource(Whose.class)
  void shouldLimitThePublishRateAcrossReconnects(Whose whose) {
    try (TestNode node = node(whose.publishRate, 1);
        RawWebSocket second = whose.second(node)) {
      await().atMost(TIMEOUT).until(() -> isLimited(publishOnce(node, whose), second));
      await().atMost(TIMEOUT).until(() -> LIMITED.equals(publishOnce(node, whose)));
      assertThat(reached(node, whose.publishRate)).isGreaterThanOrEqualTo(2);
      await().atMost(TIMEOUT).until(() -> publish(second, 4, "d").equals("published"));
    }
  }

  /** Returns the answer to a client that connects, publishes once and disconnects. */
  private static String publishOnce(TestNode node, Whose whose) {
    try (RawWebSocket first = whose.first(node)) {
      return publish(first, 1, "a");
    }
  }

  /** Returns whether a publish is rejected after another one; on a slow machine it may not be. */
  private static boolean isLimited(String before, RawWebSocket second) {
    return before.equals("published") && publish(second, 2, "b").equals(LIMITED);
  }

  @ParameterizedTest
  @EnumSource(names = "NODE", mode = EnumSource.Mode.EXCLUDE)
  void shouldNotAffectTheQuotasOfOthers(Whose whose) {
    try (TestNode node = node(whose.subscriptions, 1);
        RawWebSocket first = whose.first(node);
        RawWebSocket stranger = Whose.stranger(node)) {
      first.subscribe(1, "one");
      stranger.subscribe(1, "one");
    }
    try (TestNode node = node(whose.publishRate, 1);
        RawWebSocket first = whose.first(node);
        RawWebSocket stranger = Whose.stranger(node)) {
      assertThat(publish(first, 1, "a")).isEqualTo("published");
      assertThat(publish(stranger, 1, "b")).isEqualTo("published");
    }
  }

  @Test
  void shouldKeepTopicsForOtherAddresses() {
    int topics = 40;
    Config config =
        TestNode.config("artemis", broker.url())
            .with(LimitSettings.TOPICS, topics)
            .with(LimitSettings.SUBSCRIPTIONS, topics);
    try (TestNode node = TestNode.start(config)) {
      await()
          .atMost(TIMEOUT)
          .until(() -> node.metric("sluice_broker_connected{source=\"jms\"}") == 1);
      List<RawWebSocket> greedy = new ArrayList<>();
      String refusal = "";
      for (int i = 0; i < 10; i++) {
        RawWebSocket client = node.request().from("127.0.0.1").open();
        greedy.add(client);
        for (int ref = 1; ref <= topics / 10; ref++) {
          client.text(subscribe(ref, "greedy.%d.%d".formatted(i, ref)));
          JsonNode answer = answer(client, ref);
          refusal = answer.path("message").asText(refusal);
        }
      }
      assertThat(refusal)
          .isEqualTo(
              "number of topics without another subscriber exceeds limits.per-address.topics (20)");
      assertThat(reached(node, LimitSettings.ADDRESS_TOPICS)).isEqualTo(topics / 2);
      assertThat(reached(node, LimitSettings.TOPICS)).isZero();
      try (RawWebSocket other = node.request().from("127.0.0.2").open()) {
        for (int ref = 1; ref <= topics / 2; ref++) {
          other.subscribe(ref, "modest." + ref);
        }
        other.subscribe(topics, "greedy.0.1"); // which is shared from now on
        greedy.get(0).text(subscribe(topics, "greedy.more"));
        // One place is free for this address, but the node itself is full.
        assertThat(answer(greedy.get(0), topics).path("code").asText())
            .isEqualTo("too-many-topics");
      }
      greedy.forEach(RawWebSocket::close);
    }
  }

  private static String subscribe(int ref, String topic) {
    return "{\"type\":\"subscribe\",\"ref\":%d,\"topic\":\"%s\"}".formatted(ref, topic);
  }

  private static JsonNode answer(RawWebSocket client, int ref) {
    JsonNode answer = client.readJson();
    while (answer.path("ref").asInt() != ref) {
      answer = client.readJson();
    }
    return answer;
  }
}
