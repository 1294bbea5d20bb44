package io.sluice.gateway;

import static io.sluice.gateway.auth.TestKey.claims;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Durable and shared subscriptions of clients over WebSockets at real brokers: docs/PROTOCOL.md,
 * sections 3 and 12. The topics are virtual ones of Classic.
 */
@Timeout(180)
final class DurableSubscriptionsIT {
  private static final TestKey KEY = TestKey.create("key", "ES256");
  private static final String TOPIC = "VirtualTopic.orders.eu";
  private static final String PATTERN = "VirtualTopic.orders.*";

  private static TestIssuer issuer;

  @BeforeAll
  static void start() throws Exception {
    issuer = TestIssuer.start();
    issuer.publish(KEY);
  }

  @AfterAll
  static void stop() {
    issuer.close();
  }

  private static Config config(TestBroker broker) {
    return TestNode.config(broker.provider(), broker.url())
        .with(AuthSettings.ANONYMOUS, false)
        .with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl())
        .with(TopicSettings.TOPICS_DURABLE, List.of("VirtualTopic.orders.>"))
        .with(TopicSettings.TOPICS_SHARED, List.of("VirtualTopic.orders.>"));
  }

  private static String token(String subject) {
    JwtClaims claims = claims();
    claims.setSubject(subject);
    claims.setJwtId(subject + "-token");
    return KEY.sign(claims);
  }

  private static RawWebSocket connect(TestNode node, String subject) {
    RawWebSocket client = node.json();
    say(client, "'type':'connect','token':'" + token(subject) + "'");
    return client;
  }

  private static void say(RawWebSocket client, String members, Object... arguments) {
    client.text(frame(members, arguments));
  }

  /** Returns a frame without braces and with single quotation marks as JSON. */
  private static String frame(String members, Object... arguments) {
    return "{" + members.formatted(arguments).replace('\'', '"') + "}";
  }

  /** Consumes with the ref 7. */
  private static void consume(RawWebSocket client, String members, int credit) {
    say(client, "'type':'consume','ref':7,%s,'credit':%d", members, credit);
    JsonNode answer = answer(client, 7);
    assertThat(answer.get("type").asText()).as(answer.toString()).isEqualTo("consuming");
  }

  /** Returns the next frame with this ref. */
  private static JsonNode answer(RawWebSocket client, int ref) {
    JsonNode frame = client.readJson();
    while (frame.path("ref").asInt(-1) != ref) {
      frame = client.readJson();
    }
    return frame;
  }

  private static String durable(String topic, String name) {
    return "'topic':'%s','durable':'%s'".formatted(topic, name);
  }

  private static String shared(String topic, String name) {
    return "'topic':'%s','shared':'%s'".formatted(topic, name);
  }

  /** Publishes messages whose property region has the given value. */
  private static void send(TestBroker broker, String topic, String region, String... payloads)
      throws JMSException {
    try (TestPublisher publisher =
        new TestPublisher(broker.provider(), broker.url()).persistent()) {
      for (String payload : payloads) {
        jakarta.jms.Message message = publisher.session().createTextMessage(payload);
        message.setStringProperty("region", region);
        publisher.send(topic, message);
      }
    }
  }

  private static String[] numbers(int first, int last) {
    return IntStream.rangeClosed(first, last).mapToObj(String::valueOf).toArray(String[]::new);
  }

  /** Returns the payloads of the next deliveries, and acknowledges them. */
  private static List<String> receive(RawWebSocket client, int count) {
    List<String> payloads = new ArrayList<>();
    long tag = 0;
    for (int i = 0; i < count; i++) {
      JsonNode delivery = client.await("delivery");
      payloads.add(delivery.get("payload").asText());
      tag = delivery.get("tag").asLong();
    }
    say(client, "'type':'ack','ref':99,'subscription':7,'tag':%d,'upTo':true", tag);
    client.await("settled");
    return payloads;
  }

  private static void unsubscribe(RawWebSocket client) {
    say(client, "'type':'unsubscribe','ref':98,'subscription':7");
    client.await("unsubscribed");
  }

  private static String error(RawWebSocket client) {
    return client.await("error").get("code").asText();
  }

  private static JsonNode list(RawWebSocket client) {
    say(client, "'type':'list','ref':97");
    return client.await("listed").get("subscriptions");
  }

  /** Deletes a subscription when the broker has closed its last consumer. */
  private static void delete(RawWebSocket client, String members) {
    await()
        .until(
            () -> {
              say(client, "'type':'delete','ref':96," + members);
              JsonNode answer = answer(client, 96);
              assertThat(answer.path("code").asText("subscription-in-use"))
                  .as(answer.toString())
                  .isEqualTo("subscription-in-use");
              return answer.get("type").asText().equals("deleted");
            });
  }

  @ParameterizedTest
  @EachBroker
  void shouldShareADurableSubscriptionAmongClientsOfTwoNodes(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode first = TestNode.start(config(broker));
        TestNode second = TestNode.start(config(broker));
        RawWebSocket here = connect(first, "ann");
        RawWebSocket there = connect(second, "ann")) {
      consume(here, durable(TOPIC, "desk"), 5);
      consume(there, durable(TOPIC, "desk"), 5);
      send(broker, TOPIC, "EU", numbers(1, 10));
      // Neither client acknowledges before both have as many messages as their credit.
      List<String> received = new ArrayList<>();
      List<JsonNode> last = new ArrayList<>();
      for (RawWebSocket client : List.of(here, there)) {
        JsonNode delivery = null;
        for (int i = 0; i < 5; i++) {
          delivery = client.await("delivery");
          assertThat(delivery.has("topic")).isFalse();
          received.add(delivery.get("payload").asText());
        }
        last.add(delivery);
      }
      assertThat(received).containsExactlyInAnyOrder(numbers(1, 10));
      say(here, "'type':'ack','ref':1,'subscription':7,'tag':%d,'upTo':true", tag(last.get(0)));
      here.await("settled");
      say(there, "'type':'release','subscription':7,'tag':%d", tag(last.get(1)));
      unsubscribe(there);
      assertThat(receive(here, 5)).hasSize(5).contains(last.get(1).get("payload").asText());
    }
  }

  private static long tag(JsonNode delivery) {
    return delivery.get("tag").asLong();
  }

  @ParameterizedTest
  @EachBroker
  void shouldRetainMessagesWhileNoClientConsumes(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider)) {
      try (TestNode node = TestNode.start(config(broker));
          RawWebSocket client = connect(node, "ann")) {
        send(broker, TOPIC, "EU", "before the subscription");
        consume(client, durable(TOPIC, "desk"), 2);
        send(broker, TOPIC, "EU", "1", "2");
        assertThat(client.await("delivery").get("payload").asText()).isEqualTo("1");
        say(client, "'type':'ack','ref':1,'subscription':7,'tag':1");
        client.await("settled");
      }
      send(broker, TOPIC, "EU", "3", "4");
      try (TestNode node = TestNode.start(config(broker));
          RawWebSocket client = connect(node, "ann")) {
        consume(client, durable(TOPIC, "desk"), 10);
        assertThat(receive(client, 3)).containsExactlyInAnyOrder("2", "3", "4");
      }
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldDeleteADurableSubscriptionWithItsMessages(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(config(broker));
        RawWebSocket client = connect(node, "ann");
        RawWebSocket other = connect(node, "ann")) {
      consume(client, durable(TOPIC, "desk"), 0);
      send(broker, TOPIC, "EU", "1", "2");
      say(other, "'type':'delete','ref':1," + durable(TOPIC, "desk"));
      JsonNode inUse = other.await("error");
      assertThat(inUse.get("code").asText()).isEqualTo("subscription-in-use");
      assertThat(inUse.get("topic").asText()).isEqualTo(TOPIC);
      unsubscribe(client);
      delete(client, durable(TOPIC, "desk"));
      say(client, "'type':'delete','ref':2," + durable(TOPIC, "desk"));
      assertThat(error(client)).isEqualTo("unknown-subscription");
      consume(client, durable(TOPIC, "desk"), 10);
      send(broker, TOPIC, "EU", "3");
      assertThat(receive(client, 1)).containsExactly("3");
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldKeepTheSubscriptionsOfPrincipalsApart(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(config(broker));
        RawWebSocket ann = connect(node, "ann");
        RawWebSocket bob = connect(node, "bob")) {
      consume(ann, durable(TOPIC, "desk"), 10);
      unsubscribe(ann);
      say(bob, "'type':'delete','ref':1," + durable(TOPIC, "desk"));
      assertThat(error(bob)).isEqualTo("unknown-subscription");
      send(broker, TOPIC, "EU", "1");
      consume(bob, durable(TOPIC, "desk"), 10);
      send(broker, TOPIC, "EU", "2");
      assertThat(receive(bob, 1)).containsExactly("2");
      consume(ann, durable(TOPIC, "desk"), 10);
      assertThat(receive(ann, 2)).containsExactly("1", "2");
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldRefuseTopicsThatAreNotAllowed(String provider) {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(config(broker));
        RawWebSocket client = connect(node, "ann")) {
      say(client, "'type':'consume','ref':1," + durable("VirtualTopic.other", "desk"));
      assertThat(error(client)).isEqualTo("forbidden");
      say(client, "'type':'consume','ref':2," + shared("VirtualTopic.>", "desk"));
      assertThat(error(client)).isEqualTo("forbidden");
      say(client, "'type':'delete','ref':3," + durable("VirtualTopic.other", "desk"));
      assertThat(error(client)).isEqualTo("forbidden");
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldAnnounceWhatTheBrokerSupports(String provider) {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(config(broker));
        RawWebSocket client = connect(node, "ann")) {
      String features = client.await("hello").get("features").toString();
      assertThat(features).contains("\"durable\"");
      assertThat(features.contains("\"shared\"")).isEqualTo(provider.equals("artemis"));
    }
  }

  @Test
  void shouldNameWhatClassicSupports() {
    try (TestBroker broker = TestBroker.start("classic");
        TestNode node =
            TestNode.start(config(broker).with(TopicSettings.TOPICS_DURABLE, List.of(">")));
        RawWebSocket client = connect(node, "ann")) {
      for (String members :
          List.of(durable("orders.eu", "desk"), durable(PATTERN, "desk"), shared(TOPIC, "desk"))) {
        say(client, "'type':'consume','ref':7," + members);
        JsonNode refused = client.await("error");
        assertThat(refused.get("code").asText()).as(members).isEqualTo("unsupported");
        assertThat(refused.get("message").asText()).as(members).contains("VirtualTopic");
      }
    }
  }

  @Test
  void shouldListTheSubscriptionsOfThePrincipal() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = TestNode.start(config(broker));
        RawWebSocket ann = connect(node, "ann");
        RawWebSocket bob = connect(node, "bob")) {
      assertThat(list(ann)).isEmpty();
      consume(ann, durable(TOPIC, "desk-1") + ",'where':'region = \\u0027EU\\u0027'", 1);
      say(ann, "'type':'consume','ref':8," + durable(PATTERN, "Desk_2"));
      ann.await("consuming");
      say(ann, "'type':'unsubscribe','ref':9,'subscription':8");
      ann.await("unsubscribed");
      send(broker, TOPIC, "EU", "1", "2");
      send(broker, TOPIC, "US", "3");
      await()
          .untilAsserted(
              () ->
                  assertThat(list(ann).toString())
                      .isEqualTo(
                          ("[{'topic':'%s','durable':'Desk_2','messages':3,'consumers':0},"
                                  + "{'topic':'%s','durable':'desk-1','where':'region = ~EU~',"
                                  + "'messages':2,'consumers':1}]")
                              .formatted(PATTERN, TOPIC)
                              .replace('\'', '"')
                              .replace('~', '\'')));
      assertThat(list(bob)).isEmpty();
    }
  }

  @Test
  void shouldListWhatClassicReports() {
    try (TestBroker broker = TestBroker.start("classic");
        TestNode node = TestNode.start(config(broker));
        RawWebSocket client = connect(node, "ann")) {
      assertThat(list(client)).isEmpty();
      consume(client, durable(TOPIC, "desk"), 1);
      assertThat(list(client).toString()).isEqualTo("[" + frame(durable(TOPIC, "desk")) + "]");
    }
  }

  @Test
  void shouldListAndDeleteOverAStream() {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = TestNode.start(config(broker))) {
      try (RawWebSocket client = connect(node, "ann")) {
        consume(client, durable(TOPIC, "desk"), 1);
        unsubscribe(client);
        await().until(() -> list(client).get(0).get("consumers").asInt() == 0);
      }
      String hello = frame("'type':'connect','token':'%s'", token("ann"));
      try (RawWebSocket stream = node.stream(hello, frame("'type':'list','ref':1")).open()) {
        assertThat(stream.await("listed").get("subscriptions")).hasSize(1);
        assertThat(stream.awaitClose()).isEqualTo(1000);
      }
      String removal = frame("'type':'delete','ref':1," + durable(TOPIC, "desk"));
      try (RawWebSocket stream = node.stream(hello, removal).open()) {
        assertThat(stream.await("deleted").get("durable").asText()).isEqualTo("desk");
        assertThat(stream.awaitClose()).isEqualTo(1000);
      }
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldLimitTheSubscriptionsOfAPrincipal(String provider) {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(config(broker).with(LimitSettings.DURABLES, 1));
        RawWebSocket ann = connect(node, "ann");
        RawWebSocket bob = connect(node, "bob")) {
      consume(ann, durable(TOPIC, "first"), 1);
      say(ann, "'type':'consume','ref':8," + durable(TOPIC, "second"));
      assertThat(error(ann)).isEqualTo("too-many-subscriptions");
      consume(bob, durable(TOPIC, "first"), 1);
      assertThat(node.metric("sluice_limits_reached_total{limit=\"limits.durables\"}"))
          .isEqualTo(1);
      unsubscribe(ann);
      delete(ann, durable(TOPIC, "first"));
      consume(ann, durable(TOPIC, "second"), 1);
    }
  }

  @Test
  void shouldRefuseAnotherSelector() {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = TestNode.start(config(broker));
        RawWebSocket client = connect(node, "ann")) {
      consume(client, durable(TOPIC, "desk") + ",'where':'a = 1'", 1);
      for (String where : List.of(",'where':'a = 2'", "")) {
        say(client, "'type':'consume','ref':8," + durable(TOPIC, "desk") + where);
        assertThat(error(client)).isEqualTo("subscription-exists");
      }
    }
  }

  @Test
  void shouldDeliverTheTopicsOfAPattern() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = TestNode.start(config(broker));
        RawWebSocket client = connect(node, "ann")) {
      consume(client, durable(PATTERN, "desk"), 10);
      send(broker, "VirtualTopic.orders.eu", "EU", "1");
      send(broker, "VirtualTopic.orders.us", "US", "2");
      send(broker, "VirtualTopic.orders.us.new", "US", "3");
      send(broker, "VirtualTopic.orders.eu", "EU", "4");
      List<String> received = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        JsonNode delivery = client.await("delivery");
        received.add(delivery.get("topic").asText() + " " + delivery.get("payload").asText());
      }
      assertThat(received)
          .containsExactly(
              "VirtualTopic.orders.eu 1", "VirtualTopic.orders.us 2", "VirtualTopic.orders.eu 4");
    }
  }

  // The wildcard # of Artemis also matches the topic above the pattern.
  @Tag("full")
  @Test
  void shouldDeliverNoTopicThatThePatternDoesNotMatch() throws Exception {
    String pattern = "VirtualTopic.orders.eu.>";
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(config(broker).with(HistorySettings.WARM, List.of(pattern)));
        RawWebSocket client = connect(node, "ann")) {
      node.awaitReady();
      consume(client, durable(pattern, "desk"), 2);
      say(client, "'type':'consume','ref':8,%s,'credit':2", shared(pattern, "desk"));
      client.await("consuming");
      say(client, "'type':'subscribe','ref':9,'topic':'%s'", pattern);
      client.await("subscribed");

      for (int i = 0; i < 300; i++) { // more than the credit and one batch of acknowledgements
        send(broker, "VirtualTopic.orders.eu", "EU", "not covered");
      }
      send(broker, "VirtualTopic.orders.eu.de", "EU", "covered");

      Map<String, String> received = new TreeMap<>();
      while (received.size() < 3) {
        JsonNode frame = client.readJson();
        if (frame.has("payload")) {
          String kind = frame.get("type").asText() + frame.path("ref").asText();
          received.put(kind, frame.get("topic").asText() + " " + frame.get("payload").asText());
        }
      }
      assertThat(received.values()).containsOnly("VirtualTopic.orders.eu.de covered");
      say(client, "'type':'ack','ref':1,'subscription':7,'tag':1");
      client.await("settled");
      await().untilAsserted(() -> assertThat(list(client).get(0).get("messages").asInt()).isZero());
    }
  }

  @Test
  void shouldShareMessagesWhileThereIsAConsumer() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode first = TestNode.start(config(broker));
        TestNode second = TestNode.start(config(broker));
        RawWebSocket here = connect(first, "ann");
        RawWebSocket there = connect(second, "ann");
        RawWebSocket bob = connect(second, "bob")) {
      consume(here, shared(TOPIC, "workers"), 2);
      consume(there, shared(TOPIC, "workers"), 2);
      consume(bob, shared(TOPIC, "workers"), 4);
      send(broker, TOPIC, "EU", numbers(1, 4));
      assertThat(receive(bob, 4)).containsExactly(numbers(1, 4));
      List<String> received = new ArrayList<>(receive(here, 2));
      received.addAll(receive(there, 2));
      assertThat(received).containsExactlyInAnyOrder(numbers(1, 4));
      assertThat(list(here)).as("no durable one").isEmpty();
      unsubscribe(here);
      unsubscribe(there);
    }
  }
}
