package io.sluice.gateway;

import static io.sluice.gateway.ClientPositions.framesUpTo;
import static io.sluice.gateway.ClientPositions.position;
import static io.sluice.gateway.ClientPositions.resumed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.gateway.trace.OtlpReceiver;
import io.sluice.gateway.trace.OtlpReceiver.Received;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leaves of leaves, and nodes that several inner nodes serve. */
@Timeout(300)
final class TiersIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static TestBroker broker;
  private static TestPublisher publisher;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = ArtemisProcess.start();
    publisher = new TestPublisher("artemis", broker.url());
  }

  @AfterAll
  static void stopBroker() throws Exception {
    publisher.close();
    broker.close();
  }

  private static TestNode started(Config config) {
    TestNode node = TestNode.start(config);
    node.awaitReady();
    return node;
  }

  private static Config serving(Config config) {
    return config
        .with(LinkSettings.PORT, 0)
        .with(BrokerSettings.LINGER, Duration.ofSeconds(30))
        .with(LinkSettings.SUBSCRIBE, List.of(">"));
  }

  private static Config root() {
    return serving(TestNode.config("artemis", broker.url()));
  }

  private static Config leaf(TestNode root) {
    return TestNode.config("artemis", "").with(LinkSettings.ROOTS, List.of(url(root)));
  }

  private static String url(TestNode node) {
    return "ws://127.0.0.1:" + node.gateway().linkPort();
  }

  @Test
  void shouldResumeExactlyAtALeafOfALeaf() throws Exception {
    try (TestNode root = started(root());
        TestNode relay = started(serving(leaf(root)));
        TestNode near = started(leaf(root));
        TestNode far = started(leaf(relay));
        RawWebSocket client = near.json();
        RawWebSocket other = far.json()) {
      JsonNode answer = other.subscribe(1, "tiers");
      JsonNode subscribed = client.subscribe(1, "tiers");
      publisher.text("tiers", "1");
      JsonNode message = client.await("message");
      JsonNode received = other.await("message");
      publisher.text("tiers", "2");
      publisher.text("tiers", "3");
      assertThat(other.payloads(2)).containsExactly("2", "3");
      assertThat(client.payloads(2)).containsExactly("2", "3");
      requireResume(far, position(subscribed, message, null));
      requireResume(near, position(answer, received, null));
    }
  }

  private static void requireResume(TestNode node, JsonNode from) {
    try (RawWebSocket moved = resumed(node, "tiers", from)) {
      JsonNode answer = moved.await("subscribed");
      assertThat(answer.get("recovered").asBoolean()).isTrue();
      assertThat(answer.get("replay").asInt()).isEqualTo(2);
      assertThat(moved.payloads(2)).containsExactly("2", "3");
    }
  }

  @Test
  void shouldShowLinksAndNameTheTierThatHasLostItsSource() throws Exception {
    Config relayed = TestNode.config("artemis", "").with(AdminSettings.NODE_NAME, "relay");
    TestNode root = started(root().with(AdminSettings.NODE_NAME, "root"));
    try (TestNode relay = started(serving(relayed).with(LinkSettings.ROOTS, List.of(url(root))));
        TestNode far = started(leaf(relay).with(AdminSettings.NODE_NAME, "far"));
        RawWebSocket client = far.json()) {
      client.subscribe(1, "shown");
      JsonNode served = links(relay);
      assertThat(served.findValuesAsText("peer")).containsExactlyInAnyOrder("root", "far");
      JsonNode toFar = served.get(served.get(0).get("as").asText().equals("root") ? 0 : 1);
      assertThat(toFar.get("topics").asInt()).isEqualTo(1);
      assertThat(toFar.get("behind").asInt()).isZero();
      assertThat(links(far).findValuesAsText("as")).containsExactly("leaf");
      root.close();
      client.await("stale");
      await()
          .untilAsserted( // several queries share an answer
              () ->
                  assertThat(overview(far).get("broker").asText())
                      .startsWith("connected to relay, which has lost node (not connected: "));
    }
  }

  @Test
  void shouldNameTheTierThatRefusesATopic() throws Exception {
    TestKey key = TestKey.create("key", "ES256");
    Config serving = root().with(AdminSettings.NODE_NAME, "root");
    try (TestIssuer issuer = TestIssuer.start();
        TestNode root = started(serving.with(LinkSettings.SUBSCRIBE, List.of("shown")))) {
      issuer.publish(key);
      Config config =
          leaf(root)
              .with(AuthSettings.ANONYMOUS, false)
              .with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl());
      try (TestNode leaf = started(config);
          RawWebSocket client = leaf.json()) {
        JwtClaims claims = TestKey.claims();
        claims.setSubject("ann");
        client.text("{\"type\":\"connect\",\"token\":\"" + key.sign(claims) + "\"}");
        client.text("{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"secret\"}");
        assertThat(client.await("error").get("code").asText()).isEqualTo("forbidden");
        assertThat(leaf.admin("/why?subject=ann&topic=secret").body())
            .contains("node root at " + url(root) + " refuses it: links.subscribe of the root");
      }
    }
  }

  private static JsonNode overview(TestNode node) throws IOException {
    return JSON.readTree(node.admin("/overview").body()).at("/by-node/0");
  }

  private static JsonNode links(TestNode node) throws IOException {
    return overview(node).get("links");
  }

  @Test
  void shouldPassTraceContextsOverLinks() throws Exception {
    String context = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    Config traced =
        root()
            .with(BrokerSettings.FORWARD_PROPERTIES, List.of("traceparent"))
            .with(LinkSettings.PUBLISH, List.of(">"));
    try (TestNode root = started(traced);
        TestNode leaf = started(leaf(root));
        RawWebSocket client = leaf.json()) {
      client.subscribe(1, "traced");
      client.text(
          """
          {"type":"publish","ref":2,"topic":"traced","payload":"x",
           "properties":{"traceparent":"%s"}}"""
              .formatted(context));
      JsonNode message = client.await("message");
      assertThat(message.at("/properties/traceparent").asText()).isEqualTo(context);
    }
  }

  @Test
  void shouldTracePublishesAndMessagesAtEachTier() throws Exception {
    try (OtlpReceiver ofRoot = new OtlpReceiver();
        OtlpReceiver ofLeaf = new OtlpReceiver();
        TestNode root =
            started(
                root()
                    .with(AdminSettings.TRACING_ENDPOINT, ofRoot.url())
                    .with(LinkSettings.PUBLISH, List.of(">")));
        TestNode leaf = started(leaf(root).with(AdminSettings.TRACING_ENDPOINT, ofLeaf.url()));
        RawWebSocket client = leaf.json()) {
      client.subscribe(1, "traced.tiers");
      client.text(
          """
          {"type":"publish","ref":2,"topic":"traced.tiers","payload":"x",
           "properties":{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}""");
      JsonNode message = client.await("message");
      for (OtlpReceiver each : List.of(ofRoot, ofLeaf)) {
        await()
            .untilAsserted(
                () ->
                    assertThat(each.spans())
                        .extracting(Received::name)
                        .contains("publish", "forward"));
      }
      Received publish = ofRoot.span("publish");
      assertThat(ofLeaf.span("publish").parent()).isEqualTo("b7ad6b7169203331");
      assertThat(publish.parent()).isEqualTo(ofLeaf.span("publish").id());
      assertThat(ofRoot.span("forward").parent()).isEqualTo(publish.id());
      assertThat(ofLeaf.span("forward").parent()).isEqualTo(publish.id());
      assertThat(message.at("/properties/traceparent").asText()).contains(publish.id());
    }
  }

  /** Node of a DMZ, which two inner nodes serve in turn. */
  private static void failOver(String topic, Config firstInner, Config secondInner, Check check)
      throws Exception {
    Config outside =
        TestNode.config("artemis", "").with(LinkSettings.ACCEPT, true).with(LinkSettings.PORT, 0);
    try (TestNode outer = TestNode.start(outside)) {
      List<String> dialed = List.of(url(outer));
      TestNode first = started(firstInner.with(LinkSettings.DIAL, dialed));
      outer.awaitReady();
      TestNode second = started(secondInner.with(LinkSettings.DIAL, dialed));
      try (RawWebSocket client = outer.json()) {
        client.subscribe(1, topic);
        publisher.text(topic, "1");
        assertThat(client.payloads(1)).containsExactly("1");
        first.close();
        publisher.text(topic, "2");
        check.of(client);
      } finally {
        first.close();
        second.close();
      }
    }
  }

  /** Requirement for what a client receives. */
  @FunctionalInterface
  private interface Check {
    void of(RawWebSocket client) throws Exception;
  }

  @Test
  void shouldContinueExactlyOverAnotherInnerNodeOfTheSameRoot() throws Exception {
    try (TestNode root = started(root())) {
      failOver(
          "inner.same",
          serving(leaf(root)),
          serving(leaf(root)),
          client -> assertThat(framesUpTo("message 2", client)).containsExactly("message 2"));
    }
  }

  @Test
  void shouldReportAGapOverAnInnerNodeThatIsAnotherRoot() throws Exception {
    failOver(
        "inner.other",
        root(),
        root(),
        client -> {
          assertThat(client.await("gap").get("reason").asText()).isEqualTo("broker-lost");
          client.await("live");
          publisher.text("inner.other", "3");
          assertThat(framesUpTo("message 3", client)).endsWith("message 3");
        });
  }
}
