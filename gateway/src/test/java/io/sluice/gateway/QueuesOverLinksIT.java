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
import io.sluice.gateway.config.LinkSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.HalfOpenLink;
import io.sluice.testkit.JmsResponder;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Queues, requests and subscriptions of clients of a leaf, whose root has the broker. */
@Timeout(300)
final class QueuesOverLinksIT {
  private static final List<String> ALL = List.of(">");

  private static TestBroker broker;
  private static TestPublisher publisher;
  private static int lastQueue;
  private final String queue = "orders." + ++lastQueue;
  private TestNode root;
  private HalfOpenLink network;
  private TestNode leaf;

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

  @BeforeEach
  void start() {
    root = TestNode.start(root(0));
    network = new HalfOpenLink("ws://127.0.0.1:" + root.gateway().linkPort());
    leaf = TestNode.start(leaf(network.url().replace("tcp", "ws")));
    root.awaitReady();
    leaf.awaitReady();
  }

  @AfterEach
  void stop() {
    leaf.close();
    network.close();
    root.close();
  }

  private static Config root(int port) {
    return root("artemis", broker, port);
  }

  private static Config root(String provider, TestBroker broker, int port) {
    return TestNode.config(provider, broker.url())
        .with(LinkSettings.PORT, port)
        .with(TopicSettings.QUEUES_CONSUME, ALL)
        .with(
            LinkSettings.SUBSCRIBE,
            List.of("news.>", "queue:orders.>", "durable:news.>", "shared:news.>"))
        .with(LinkSettings.PUBLISH, List.of("news.>", "queue:orders.>", "queue:answers.*"));
  }

  private static Config leaf(String url) {
    return TestNode.config("artemis", "")
        .with(LinkSettings.ROOTS, List.of(url))
        .with(TopicSettings.QUEUES_SEND, ALL)
        .with(TopicSettings.QUEUES_CONSUME, ALL)
        .with(TopicSettings.QUEUES_BROWSE, ALL)
        .with(TopicSettings.TOPICS_DURABLE, ALL)
        .with(TopicSettings.TOPICS_SHARED, ALL)
        .with(LimitSettings.PUBLISH_RATE, 100_000)
        .with(LimitSettings.FRAME_RATE, 0);
  }

  private static TestNode ready(TestNode node) {
    node.awaitReady();
    return node;
  }

  private void send(int count) throws JMSException {
    MessageProducer producer =
        publisher.session().createProducer(publisher.session().createQueue(queue));
    for (int i = 1; i <= count; i++) {
      producer.send(publisher.session().createTextMessage(String.valueOf(i)));
    }
    producer.close();
  }

  private void consume(FrameClient client, int ref, int credit) {
    client.send("'type':'consume','ref':%d,'queue':'%s','credit':%d".formatted(ref, queue, credit));
    assertThat(client.await("consuming").get("ref").asInt()).isEqualTo(ref);
  }

  private static JsonNode settle(FrameClient client, String how, long tag) {
    client.send("'type':'%s','ref':99,'subscription':7,'tag':%d".formatted(how, tag));
    return client.await("settled");
  }

  /** Returns tag and payload of the next delivery, and whether it is marked. */
  private static String delivery(FrameClient client) {
    JsonNode delivery = client.await("delivery");
    return delivery.get("tag").asText()
        + " "
        + delivery.get("payload").asText()
        + (delivery.path("redelivered").asBoolean() ? " again" : "");
  }

  private int messages(FrameClient client) {
    client.send("'type':'browse','ref':50,'queue':'%s'".formatted(queue));
    return client.await("browsed").get("count").asInt();
  }

  private static String error(FrameClient client, String members) {
    client.send(members);
    JsonNode error = client.await("error");
    return error.get("code").asText() + ": " + error.get("message").asText();
  }

  @Tag("full")
  @Test
  void shouldServeQueuesOfClassic() throws Exception {
    try (TestBroker classic = TestBroker.start("classic");
        TestNode itsRoot = ready(TestNode.start(root("classic", classic, 0)));
        TestNode itsLeaf =
            ready(TestNode.start(leaf("ws://127.0.0.1:" + itsRoot.gateway().linkPort())))) {
      publishAndSettle(itsLeaf);
    }
  }

  @Test
  void shouldPublishToAQueueAndSettleItsMessages() {
    publishAndSettle(leaf);
  }

  private void publishAndSettle(TestNode leaf) {
    try (FrameClient client = new FrameClient(leaf.json())) {
      for (String payload : List.of("a", "b", "c")) {
        client.send(
            "'type':'publish','ref':1,'queue':'%s','payload':'%s'".formatted(queue, payload));
        client.await("published");
      }
      consume(client, 7, 2);
      assertThat(delivery(client)).isEqualTo("1 a");
      assertThat(delivery(client)).isEqualTo("2 b");
      settle(client, "release", 2);
      settle(client, "ack", 1);
      assertThat(Set.of(delivery(client), delivery(client)))
          .hasSize(2)
          .anyMatch(each -> each.endsWith(" b again"))
          .anyMatch(each -> each.endsWith(" c"));
      client.send("'type':'ack','ref':99,'subscription':7,'tag':4,'upTo':true");
      client.await("settled");
      assertThat(messages(client)).isZero();
      assertThat(error(client, "'type':'ack','ref':98,'subscription':7,'tag':4"))
          .startsWith("not-pending");
      client.send("'type':'publish','ref':1,'queue':'%s','payload':'d'".formatted(queue));
      assertThat(delivery(client)).isEqualTo("5 d");
      settle(client, "reject", 5);
      assertThat(messages(client)).isZero();
    }
  }

  @Test
  void shouldReturnTheMessagesOfAClientThatHasDisconnected() throws Exception {
    send(3);
    try (FrameClient other = new FrameClient(leaf.json())) {
      try (FrameClient client = new FrameClient(leaf.json())) {
        consume(client, 7, 3);
        assertThat(delivery(client)).isEqualTo("1 1");
        settle(client, "ack", 1);
        assertThat(delivery(client)).isEqualTo("2 2");
        assertThat(delivery(client)).isEqualTo("3 3");
      }
      consume(other, 7, 3);
      assertThat(delivery(other)).isEqualTo("1 2 again");
      assertThat(delivery(other)).isEqualTo("2 3 again");
    }
  }

  /** An acknowledgement whose result is lost with the link may have been stored or not. */
  @Test
  void shouldLoseNothingAndMarkDuplicatesWhenLinksFail() throws Exception {
    int count = 2_000;
    send(count);
    Set<String> seen = new HashSet<>();
    Set<String> settled = new HashSet<>();
    Set<String> unknown = new HashSet<>();
    List<String> wrong = new ArrayList<>();
    try (FrameClient client = new FrameClient(leaf.json())) {
      consume(client, 7, 50);
      for (int deliveries = 0; settled.size() + unknown.size() < count; ) {
        JsonNode frame = client.next();
        String ref = frame.path("ref").asText();
        switch (frame.get("type").asText()) {
          case "delivery" -> {
            String payload = frame.get("payload").asText();
            if (settled.contains(payload)
                || !seen.add(payload) && frame.path("redelivered").isMissingNode()) {
              wrong.add(frame.toString());
            }
            unknown.remove(payload);
            long tag = frame.get("tag").asLong();
            client.send("'type':'ack','ref':%s,'subscription':7,'tag':%d".formatted(payload, tag));
            if (++deliveries % 400 == 0) {
              network.cut();
              network.mend();
            }
          }
          case "settled" -> {
            settled.add(ref);
            unknown.remove(ref);
          }
          case "error" -> {
            if (frame.get("code").asText().equals("broker-unavailable")) {
              unknown.add(ref);
            }
          }
          default -> {}
        }
      }
      assertThat(wrong).isEmpty();
      assertThat(seen).hasSize(count);
    }
  }

  @Test
  void shouldReturnMessagesAtOnceWhenTheLinkIsLost() throws Exception {
    send(2);
    try (FrameClient client = new FrameClient(leaf.json());
        FrameClient other = new FrameClient(root.json())) {
      consume(client, 7, 2);
      assertThat(delivery(client)).isEqualTo("1 1");
      assertThat(delivery(client)).isEqualTo("2 2");
      consume(other, 7, 2);
      network.cut();
      assertThat(client.await("released").path("reason").asText()).isEqualTo("broker-lost");
      assertThat(delivery(other)).isEqualTo("1 1 again");
      assertThat(delivery(other)).isEqualTo("2 2 again");
      assertThat(error(client, "'type':'ack','ref':98,'subscription':7,'tag':2"))
          .startsWith("not-pending");
      settle(other, "ack", 1);
      settle(other, "release", 2);
      other.send("'type':'unsubscribe','ref':3,'subscription':7");
      other.await("unsubscribed");
      network.mend();
      assertThat(delivery(client)).isEqualTo("3 2 again");
      settle(client, "ack", 3);
    }
  }

  @Test
  void shouldContinueAfterARestartOfTheRoot() throws Exception {
    send(2);
    int port = root.gateway().linkPort();
    try (TestNode other = TestNode.start(leaf("ws://127.0.0.1:" + port));
        FrameClient client = new FrameClient(ready(other).json())) {
      consume(client, 7, 2);
      assertThat(delivery(client)).isEqualTo("1 1");
      assertThat(delivery(client)).isEqualTo("2 2");
      settle(client, "ack", 1);
      root.close();
      client.await("released");
      root = TestNode.start(root(port));
      assertThat(delivery(client)).isEqualTo("3 2 again");
      settle(client, "ack", 3);
      await().untilAsserted(() -> assertThat(messages(client)).isZero());
    }
  }

  @Test
  void shouldServeOthersBesideAClientThatDoesNotRead() throws Exception {
    String slowQueue = queue + ".slow";
    try (FrameClient slow = new FrameClient(leaf.request().receiveBuffer(4_096).open());
        FrameClient client = new FrameClient(leaf.json())) {
      slow.send("'type':'consume','ref':7,'queue':'%s','credit':1000".formatted(slowQueue));
      MessageProducer producer =
          publisher.session().createProducer(publisher.session().createQueue(slowQueue));
      String large = "x".repeat(50_000);
      for (int i = 0; i < 400; i++) {
        producer.send(publisher.session().createTextMessage(large));
      }
      producer.close();
      consume(client, 7, 10);
      send(500);
      for (int i = 1; i <= 500; i++) {
        assertThat(delivery(client)).isEqualTo(i + " " + i);
        settle(client, "ack", i);
      }
    }
  }

  @Test
  void shouldRefuseWhatTheRootDoesNotPermit() {
    try (FrameClient client = new FrameClient(leaf.json())) {
      for (String frame :
          List.of(
              "'type':'consume','ref':1,'queue':'secret'",
              "'type':'browse','ref':1,'queue':'secret'",
              "'type':'publish','ref':1,'queue':'secret','payload':'1'",
              "'type':'request','ref':1,'queue':'secret','payload':'1'",
              "'type':'transaction','ref':1,'publish':[{'queue':'secret','payload':'1'}]",
              "'type':'consume','ref':1,'topic':'secret','shared':'workers'")) {
        assertThat(error(client, frame)).startsWith("forbidden: ").contains("of the root");
      }
      assertThat(error(client, "'type':'consume','ref':1,'queue':'orders.x','credit':1001"))
          .startsWith("bad-frame");
    }
  }

  @Test
  void shouldDelayWhatTheRootCanDelay() {
    try (FrameClient client = new FrameClient(leaf.json())) {
      consume(client, 7, 2);
      String delayed = "'payload':'late','delay':1000,'queue':'" + queue + "'";
      client.send("'type':'publish','ref':1," + delayed);
      client.await("published");
      client.send("'type':'publish','ref':2,'payload':'now','queue':'" + queue + "'");
      assertThat(delivery(client)).isEqualTo("1 now");
      assertThat(delivery(client)).isEqualTo("2 late");
      for (String frame :
          List.of(
              "'type':'publish','ref':1,'topic':'news.a','payload':'1','delay':1",
              "'type':'transaction','ref':1,"
                  + "'publish':[{'topic':'news.a','payload':'1','delay':1}]")) {
        assertThat(error(client, frame))
            .startsWith("unsupported: ")
            .contains("at the root: \"delay\": topic news.a is not durable (broker.durable)");
      }
    }
  }

  @Test
  void shouldLimitTheCreditOfALeafAtTheRoot() {
    Config config = leaf("ws://127.0.0.1:" + root.gateway().linkPort());
    try (TestNode generous = TestNode.start(config.with(LimitSettings.CONSUMER_CREDIT, 5_000));
        FrameClient client = new FrameClient(ready(generous).json())) {
      assertThat(error(client, "'type':'consume','ref':1,'queue':'orders.x','credit':1001"))
          .isEqualTo("bad-frame: the credit is 1001; limits.consumer-credit of the root is 1000");
    }
  }

  @Test
  void shouldReturnTheReplyToARequest() throws Exception {
    try (JmsResponder responder = JmsResponder.ofQueue(broker, queue, JmsResponder.text("yes"));
        FrameClient client = new FrameClient(leaf.json())) {
      client.send("'type':'request','ref':4,'queue':'%s','payload':'?'".formatted(queue));
      JsonNode reply = client.await("reply");
      assertThat(reply.get("ref").asInt()).isEqualTo(4);
      assertThat(reply.get("payload").asText()).isEqualTo("yes");
      assertThat(responder.received()).hasSize(1);
    }
  }

  @Test
  void shouldAnswerAMessage() {
    try (FrameClient client = new FrameClient(leaf.json());
        FrameClient other = new FrameClient(leaf.json())) {
      consume(other, 7, 1);
      client.send("'type':'request','ref':4,'queue':'%s','payload':'?'".formatted(queue));
      assertThat(delivery(other)).isEqualTo("1 ?");
      other.send("'type':'respond','ref':5,'subscription':7,'tag':1,'payload':'yes'");
      other.await("published");
      assertThat(client.await("reply").get("payload").asText()).isEqualTo("yes");
      assertThat(error(other, "'type':'respond','ref':5,'subscription':7,'tag':1,'payload':'no'"))
          .startsWith("no-recipient");
    }
  }

  @Test
  void shouldAcknowledgeAndPublishInOneTransaction() throws Exception {
    send(2);
    try (FrameClient client = new FrameClient(leaf.json())) {
      consume(client, 7, 2);
      delivery(client);
      delivery(client);
      client.send(
          "'type':'transaction','ref':9,'ack':[{'subscription':7,'tag':2,'upTo':true}],"
              + "'publish':[{'queue':'%s','payload':'3'}]".formatted(queue));
      assertThat(client.await("committed").get("ref").asInt()).isEqualTo(9);
      assertThat(delivery(client)).isEqualTo("3 3");
      settle(client, "ack", 3);
      assertThat(messages(client)).isZero();
    }
  }

  @Test
  void shouldServeALeafOfALeaf() throws Exception {
    Config middle =
        leaf("ws://127.0.0.1:" + root.gateway().linkPort())
            .with(LinkSettings.PORT, 0)
            .with(LinkSettings.SUBSCRIBE, List.of("queue:>"))
            .with(LinkSettings.PUBLISH, List.of("queue:>"));
    try (TestNode relay = ready(TestNode.start(middle));
        TestNode outer =
            ready(TestNode.start(leaf("ws://127.0.0.1:" + relay.gateway().linkPort())));
        FrameClient client = new FrameClient(outer.json())) {
      client.send("'type':'publish','ref':1,'queue':'%s','payload':'a'".formatted(queue));
      client.await("published");
      consume(client, 7, 2);
      assertThat(delivery(client)).isEqualTo("1 a");
      settle(client, "ack", 1);
      assertThat(messages(client)).isZero();
      assertThat(error(client, "'type':'consume','ref':1,'queue':'secret'"))
          .startsWith("forbidden: ");
    }
  }

  @Test
  void shouldKeepADurableSubscriptionOfAPrincipal() throws Exception {
    TestKey key = TestKey.create("key", "ES256");
    try (TestIssuer issuer = TestIssuer.start()) {
      issuer.publish(key);
      Config config =
          leaf("ws://127.0.0.1:" + root.gateway().linkPort())
              .with(AuthSettings.ANONYMOUS, false)
              .with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl());
      try (TestNode first = TestNode.start(config);
          TestNode second = TestNode.start(config)) {
        try (FrameClient client = connect(ready(first), key)) {
          client.send("'type':'consume','ref':7,'topic':'news.>','durable':'desk','credit':1");
          client.await("consuming");
        }
        publisher.text("news.durable", "a");
        try (FrameClient client = connect(ready(second), key)) {
          client.send("'type':'consume','ref':7,'topic':'news.>','durable':'desk','credit':1");
          assertThat(delivery(client)).isEqualTo("1 a");
          settle(client, "ack", 1);
          client.send("'type':'unsubscribe','ref':3,'subscription':7");
          client.await("unsubscribed");
          client.send("'type':'list','ref':4");
          assertThat(client.await("listed").get("subscriptions")).hasSize(1);
          client.send("'type':'delete','ref':5,'topic':'news.>','durable':'desk'");
          client.await("deleted");
          assertThat(error(client, "'type':'delete','ref':5,'topic':'secret','durable':'desk'"))
              .startsWith("forbidden: ")
              .contains("of the root");
        }
      }
    }
  }

  private static FrameClient connect(TestNode node, TestKey key) {
    JwtClaims claims = claims();
    claims.setSubject("alice");
    claims.setJwtId("alice-token");
    FrameClient client = new FrameClient(node.json());
    client.send("'type':'connect','token':'" + key.sign(claims) + "'");
    return client;
  }

  @Test
  void shouldShareASubscription() throws Exception {
    try (FrameClient first = new FrameClient(leaf.json());
        FrameClient second = new FrameClient(leaf.json())) {
      for (FrameClient each : List.of(first, second)) {
        each.send("'type':'consume','ref':7,'topic':'news.shared','shared':'workers','credit':1");
        each.await("consuming");
      }
      publisher.text("news.shared", "a");
      publisher.text("news.shared", "b");
      assertThat(Set.of(delivery(first), delivery(second))).isEqualTo(Set.of("1 a", "1 b"));
    }
  }
}
