package io.sluice.gateway;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.JmsResponder;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TemporaryTopic;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.activemq.artemis.jms.client.ActiveMQTemporaryQueue;
import org.apache.activemq.artemis.jms.client.ActiveMQTemporaryTopic;
import org.apache.activemq.command.ActiveMQTempQueue;
import org.apache.activemq.command.ActiveMQTempTopic;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** Clients that answer messages of queues, at both brokers. */
@Timeout(180)
final class RespondIT {
  private static final long LONG_MS = 60_000;

  @TempDir private static Path folder;
  private static BrokerNodes nodes;

  @BeforeAll
  static void start() {
    nodes = BrokerNodes.start(RespondIT::config);
  }

  private static Config config(TestBroker broker) {
    return TestNode.config(broker.provider(), broker.url())
        .with(TopicSettings.QUEUES_CONSUME, List.of("*"))
        .with(TopicSettings.QUEUES_SEND, List.of("*"))
        .with(AdminSettings.AUDIT_FILE, folder.resolve(broker.provider()).toString())
        .with(AdminSettings.AUDIT_EVENTS, List.of("published", "refused"));
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  private static JsonNode consume(RawWebSocket client, String queue) {
    client.text("{\"type\":\"consume\",\"ref\":7,\"queue\":\"%s\",\"credit\":10}".formatted(queue));
    return client.await("consuming");
  }

  private static void respond(RawWebSocket client, int ref, long tag, String payload) {
    client.text(
        "{\"type\":\"respond\",\"ref\":%d,\"subscription\":7,\"tag\":%d,\"payload\":\"%s\"}"
            .formatted(ref, tag, payload));
  }

  private static String code(RawWebSocket client, int ref) {
    JsonNode error = client.await("error");
    assertThat(error.get("ref").asInt()).as(error.toString()).isEqualTo(ref);
    assertThat(error.get("subscription").asInt()).isEqualTo(7);
    return error.get("code").asText();
  }

  // Artemis deletes the temporary queues of a connection after its client has closed it.
  private static void awaitDeletion(BrokerNodes.Scene scene, String address) {
    if (scene.broker() instanceof ArtemisProcess artemis) {
      await().atMost(LONG_MS, MILLISECONDS).until(() -> !artemis.addresses().contains(address));
    }
  }

  private static void send(Session session, String queue, Destination replyTo, String correlationId)
      throws JMSException {
    TextMessage request = session.createTextMessage("question");
    request.setJMSReplyTo(replyTo);
    request.setJMSCorrelationID(correlationId);
    session.createProducer(session.createQueue(queue)).send(request);
  }

  @ParameterizedTest
  @EachBroker
  void shouldAnswerAPlainRequestor(String provider) throws Exception {
    BrokerNodes.Scene scene = nodes.of(provider);
    try (Connection jms = JmsResponder.connect(scene.broker());
        RawWebSocket client = scene.node().json();
        RawWebSocket other = scene.node().json()) {
      consume(client, "questions");
      jms.start();
      Session session = jms.createSession(false, Session.AUTO_ACKNOWLEDGE);
      TemporaryQueue replies = session.createTemporaryQueue();
      send(session, "questions", replies, "17");
      JsonNode delivery = client.await("delivery");
      assertThat(delivery.has("replyTo")).isTrue();
      long tag = delivery.get("tag").asLong();
      respond(other, 8, tag, "not yours");
      assertThat(code(other, 8)).isEqualTo("not-pending");
      respond(client, 9, tag, "answer");
      assertThat(client.await("published").get("ref").asInt()).isEqualTo(9);
      Message reply = session.createConsumer(replies).receive(LONG_MS);
      assertThat(reply.getBody(String.class)).isEqualTo("answer");
      assertThat(reply.getJMSCorrelationID()).isEqualTo("17");
      client.text("{\"type\":\"ack\",\"ref\":10,\"subscription\":7,\"tag\":%d}".formatted(tag));
      client.await("settled");
      respond(client, 11, tag, "late");
      assertThat(code(client, 11)).isEqualTo("not-pending");
      respond(client, 12, tag + 1, "never delivered");
      assertThat(code(client, 12)).isEqualTo("not-pending");
    }
  }

  /** Not to the consumed queue. */
  @ParameterizedTest
  @EachBroker
  void shouldCountRepliesToTheirDestination(String provider) throws Exception {
    TestBroker broker = nodes.of(provider).broker();
    String[] many = Collections.nCopies(20, "one").toArray(String[]::new);
    try (TestNode node = TestNode.start(config(broker), LimitSettings.TOPIC_PUBLISH_RATE, 1);
        Connection jms = JmsResponder.connect(broker)) {
      assertThat(answers(node, jms, "rated", "one", "two", "three", "four"))
          .containsOnly("published");
      assertThat(answers(node, jms, "bounded", many)).contains("error");
    }
  }

  /** Returns the answers to replies to the queues of these names. */
  private static List<String> answers(
      TestNode node, Connection jms, String queue, String... replyTo) throws JMSException {
    try (Session session = jms.createSession(false, Session.AUTO_ACKNOWLEDGE);
        RawWebSocket client = node.json()) {
      for (String to : replyTo) {
        Queue replies = session.createQueue(queue + "." + to);
        session.createConsumer(replies).close(); // creates it
        send(session, queue, replies, null);
      }
      consume(client, queue);
      client.text(
          "{\"type\":\"credit\",\"subscription\":7,\"credit\":%d}".formatted(replyTo.length));
      for (int i = 0; i < replyTo.length; i++) {
        client.await("delivery");
      }
      for (int i = 0; i < replyTo.length; i++) {
        respond(client, 10 + i, i + 1, "answer");
      }
      List<String> answers = new ArrayList<>();
      while (answers.size() < replyTo.length) {
        String type = client.readJson().get("type").asText();
        if (!type.equals("delivery")) {
          answers.add(type);
        }
      }
      return answers;
    }
  }

  // A requestor may mark any name as temporary. The node may write to all destinations; its clients
  // and requestors may not.
  @ParameterizedTest
  @EachBroker
  void shouldReplyToTemporaryDestinationsThatAreTemporary(String provider) throws Exception {
    BrokerNodes.Scene scene = nodes.of(provider);
    boolean artemis = provider.equals("artemis");
    try (Connection jms = JmsResponder.connect(scene.broker());
        RawWebSocket client = scene.node().json()) {
      consume(client, "forgeries");
      jms.start();
      Session session = jms.createSession(false, Session.AUTO_ACKNOWLEDGE);
      MessageConsumer secret = session.createConsumer(session.createQueue("secret"));
      MessageConsumer prices = session.createConsumer(session.createTopic("secret.prices"));
      String named = session.createTemporaryQueue().getQueueName();
      List<Destination> forged = new ArrayList<>();
      for (String name :
          artemis
              ? List.of("secret", "secret.prices", "secret::secret", "secret?x=y")
              : List.of("secret", named + ",queue://secret,topic://secret.prices", "*", ">")) {
        forged.add(artemis ? new ActiveMQTemporaryQueue(name, null) : new ActiveMQTempQueue(name));
        forged.add(artemis ? new ActiveMQTemporaryTopic(name, null) : new ActiveMQTempTopic(name));
      }
      int tag = 0;
      for (Destination to : forged) {
        send(session, "forgeries", to, null);
        client.await("delivery");
        respond(client, ++tag, tag, "forged");
        assertThat(code(client, tag)).as(to.toString()).isEqualTo("no-recipient");
      }
      TemporaryTopic real = session.createTemporaryTopic();
      MessageConsumer replies = session.createConsumer(real);
      send(session, "forgeries", real, null);
      client.await("delivery");
      respond(client, ++tag, tag, "answer");
      client.await("published");
      assertThat(replies.receive(LONG_MS).getBody(String.class)).isEqualTo("answer");
      assertThat(secret.receiveNoWait()).isNull();
      assertThat(prices.receiveNoWait()).isNull();
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldReportAMissingRecipient(String provider) throws Exception {
    BrokerNodes.Scene scene = nodes.of(provider);
    try (RawWebSocket client = scene.node().json()) {
      consume(client, "orphans");
      Connection jms = JmsResponder.connect(scene.broker());
      Session session = jms.createSession(false, Session.AUTO_ACKNOWLEDGE);
      TemporaryQueue replies = session.createTemporaryQueue();
      String address = replies.getQueueName();
      try (jms) {
        send(session, "orphans", null, null);
        send(session, "orphans", replies, null);
        client.await("delivery");
        client.await("delivery");
      }
      awaitDeletion(scene, address);
      respond(client, 1, 1, "nobody requested it");
      assertThat(code(client, 1)).isEqualTo("no-recipient");
      respond(client, 2, 2, "the queue is deleted");
      JsonNode gone = client.await("error");
      assertThat(gone.get("code").asText()).as(gone.toString()).isEqualTo("no-recipient");
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldReportARecipientThatWasAnsweredBefore(String provider) throws Exception {
    BrokerNodes.Scene scene = nodes.of(provider);
    try (RawWebSocket client = scene.node().json()) {
      consume(client, "leavers");
      Connection jms = JmsResponder.connect(scene.broker());
      Session session = jms.createSession(false, Session.AUTO_ACKNOWLEDGE);
      TemporaryQueue replies = session.createTemporaryQueue();
      String address = replies.getQueueName();
      try (jms) {
        for (int i = 0; i < 2; i++) {
          send(session, "leavers", replies, null);
          client.await("delivery");
        }
        respond(client, 1, 1, "it waits");
        assertThat(client.await("published").get("ref").asInt()).isEqualTo(1);
      }
      awaitDeletion(scene, address);
      for (int i = 0; i < 6; i++) { // by each of the publishing threads
        respond(client, 2, 2, "it has left");
        assertThat(code(client, 2)).isEqualTo("no-recipient");
      }
      if (scene.broker() instanceof ArtemisProcess artemis) {
        assertThat(artemis.addresses()).doesNotContain(address);
      }
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldConnectARequestorAndAResponderAtTwoNodes(String provider) throws Exception {
    BrokerNodes.Scene scene = nodes.of(provider);
    try (TestNode node = TestNode.start(config(scene.broker()).with(AdminSettings.AUDIT_FILE, ""));
        RawWebSocket requestor = node.json();
        RawWebSocket responder = scene.node().binary()) {
      node.awaitReady();
      responder.text("{\"type\":\"consume\",\"ref\":7,\"queue\":\"between\"}");
      responder.await("consuming");
      requestor.text(
          "{\"type\":\"request\",\"ref\":3,\"queue\":\"between\",\"payload\":\"question\"}");
      responder.readBinary();
      responder.text(
          "{\"type\":\"respond\",\"ref\":8,\"subscription\":7,\"tag\":1,\"encoding\":\"json\","
              + "\"payload\":{\"bid\":1.5},\"messageType\":\"quote\"}");
      responder.await("published");
      JsonNode reply = requestor.await("reply");
      assertThat(reply.get("ref").asInt()).isEqualTo(3);
      assertThat(reply.get("payload").get("bid").asDouble()).isEqualTo(1.5);
      assertThat(reply.get("messageType").asText()).isEqualTo("quote");
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldAnswerEachMessageOnce(String provider) throws Exception {
    BrokerNodes.Scene scene = nodes.of(provider);
    try (Connection jms = JmsResponder.connect(scene.broker());
        RawWebSocket client = scene.node().json()) {
      consume(client, "once");
      Session session = jms.createSession(false, Session.AUTO_ACKNOWLEDGE);
      Topic answers = session.createTopic("answers.once");
      session.createConsumer(answers);
      send(session, "once", answers, null);
      client.await("delivery");
      for (int ref = 1; ref <= 20; ref++) {
        respond(client, ref, 1, "answer");
      }
      List<String> results = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        JsonNode answer = client.readJson();
        results.add(answer.path("code").asText(answer.get("type").asText()));
      }
      assertThat(results).containsOnlyOnce("published").contains("no-recipient");
      assertThat(Set.copyOf(results)).hasSize(2);
      send(session, "once", answers, null);
      client.await("delivery");
      respond(client, 21, 2, "answer");
      assertThat(client.await("published").get("ref").asInt()).isEqualTo(21);
      for (String kind : List.of("published", "refused")) {
        await().until(() -> audited(scene, kind).contains("answers.once"));
      }
    }
  }

  /** Returns the topics in the audit records of a kind. */
  private static List<String> audited(BrokerNodes.Scene scene, String kind) throws Exception {
    String records = scene.node().admin("/audit?kind=" + kind).body();
    return new ObjectMapper().readTree(records).findValuesAsText("topic");
  }

  /** Ways in which a client names the destination of replies. */
  private static final List<String> NAMING =
      List.of(
          "'type':'publish','queue':'loop','payload':'x','replyTo':%s",
          "'type':'transaction','publish':[{'queue':'loop','payload':'x','replyTo':%s}]");

  @ParameterizedTest
  @EachBroker
  void shouldLetNoClientNameADestinationThatItMayNotPublishTo(String provider) throws Exception {
    Map<PermissionRule.Operation, List<String>> granted =
        Map.of(
            PermissionRule.Operation.SEND, List.of("loop", "answers"),
            PermissionRule.Operation.CONSUME, List.of("*"),
            PermissionRule.Operation.SUBSCRIBE, List.of(">"),
            PermissionRule.Operation.PUBLISH, List.of("talk"));
    BrokerNodes.Scene scene = nodes.of(provider);
    Config config =
        config(scene.broker())
            .with(AdminSettings.AUDIT_FILE, "")
            .with(TopicSettings.PERMISSION_RULES, List.of(new PermissionRule(Map.of(), granted)));
    try (TestNode node = TestNode.start(config);
        RawWebSocket client = node.json();
        RawWebSocket reader = node.json()) {
      node.awaitReady();
      reader.subscribe(1, "prices.eur");
      reader.subscribe(2, "talk");
      consume(reader, "answers");
      consume(client, "loop");
      int ref = 20;
      for (String naming : NAMING) {
        for (String replyTo :
            List.of("{'topic':'prices.eur'}", "{'queue':'orders'}", "{'queue':'DLQ'}")) {
          say(client, ++ref, naming.formatted(replyTo));
          JsonNode error = client.await("error");
          assertThat(error.get("ref").asInt()).isEqualTo(ref);
          assertThat(error.get("code").asText()).isEqualTo("forbidden");
          assertThat(error.get("message").asText()).contains("\"replyTo\": ");
        }
        for (String replyTo : List.of("{'topic':'talk'}", "{'queue':'answers'}")) {
          say(client, ++ref, naming.formatted(replyTo));
          JsonNode delivery = client.await("delivery");
          respond(client, ++ref, delivery.get("tag").asLong(), "allowed");
          client.await("published");
        }
      }
      say(reader, 9, "'type':'publish','topic':'prices.eur','payload':'forged'");
      assertThat(reader.await("error").get("code").asText()).isEqualTo("forbidden");
    }
  }

  private static void say(RawWebSocket client, int ref, String members) {
    client.text(("{'ref':" + ref + "," + members + "}").replace('\'', '"'));
  }
}
