package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPubReplyMessageVariableHeader;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of MQTT 3.1.1 and 5 at a node with Artemis. */
@Timeout(180)
final class MqttIT {
  private static final int MAX_SUBSCRIPTION_ID = 268_435_455;

  private static TestBroker broker;
  private static TestNode node;

  @BeforeAll
  static void start() throws Exception {
    broker = ArtemisProcess.start();
    node = TestNode.start(config());
    node.awaitReady();
  }

  private static Config config() {
    return TestNode.unlimited(TestNode.config(broker.provider(), broker.url()))
        .with(BrokerSettings.LINGER, Duration.ofMinutes(1))
        .with(TopicSettings.PUBLISH_TOPICS, List.of("m.>", "$x.>", "kept.>"))
        .with(TopicSettings.TOPICS_SHARED, List.of("m.shared.>"))
        .with(HistorySettings.KEY_PROPERTIES, List.of("kept.>=id"))
        .with(HistorySettings.REMOVAL_PROPERTY, "removed")
        .with(HistorySettings.WARM, List.of("kept.>"))
        .with(
            BrokerSettings.FORWARD_PROPERTIES,
            List.of(
                "id",
                "colour",
                "mqttContentType",
                "mqttResponseTopic",
                "mqttCorrelationData",
                "mqttUserProperties"));
  }

  @AfterAll
  static void stop() throws Exception {
    node.close();
    broker.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldDeliverWithQos0ThroughWildcards(boolean v5) throws Exception {
    String root = "m/zero" + v5;
    try (MqttTestClient subscriber = MqttTestClient.connect(node, v5);
        MqttTestClient publisher = MqttTestClient.connect(node, v5);
        TestPublisher jms = new TestPublisher(broker.provider(), broker.url())) {
      assertThat(subscriber.subscribe(0, root + "/#", root + "/+/b")).containsExactly(0, 0);
      publisher.publish(root, "parent");
      assertThat(subscriber.message())
          .isEqualTo(new MqttTestClient.Received(root, "parent", 0, false, false, -1));
      publisher.publish(root + "/a.1/ x", "odd");
      assertThat(subscriber.message().topic()).isEqualTo(root + "/a.1/ x");
      jms.text(root.replace('/', '.') + ".c", "from JMS");
      assertThat(subscriber.message().payload()).isEqualTo("from JMS");
      publisher.publish(root + "/a/b", "twice");
      assertThat(subscriber.payloads(2)).containsExactly("twice", "twice");
    }
  }

  @Test
  void shouldRefuseTopicsOfTheBroker() {
    try (MqttTestClient client = MqttTestClient.connect(node, true)) {
      assertThat(client.subscribe(0, "$SYS/#", "#")).containsExactly(0x87, 0);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldAcknowledgeInBothDirections(boolean v5) {
    String topic = "m/one" + v5;
    try (MqttTestClient subscriber = MqttTestClient.connect(node, v5);
        MqttTestClient publisher = MqttTestClient.connect(node, v5)) {
      assertThat(subscriber.subscribe(2, topic)).containsExactly(1);
      publisher.publish(topic, "stored", 1, false, 77, MqttProperties.NO_PROPERTIES);
      MqttMessage ack = publisher.read();
      assertThat(ack.fixedHeader().messageType()).isEqualTo(MqttMessageType.PUBACK);
      MqttTestClient.Received first = subscriber.message();
      assertThat(first).isEqualTo(new MqttTestClient.Received(topic, "stored", 1, false, false, 1));
      subscriber.acknowledge(first.id());
      publisher.publish(topic, "again", 1, false, 77, MqttProperties.NO_PROPERTIES);
      publisher.read();
      assertThat(subscriber.message().id()).isEqualTo(2);
    }
  }

  @Test
  void shouldLimitMessagesInFlightByReceiveMaximum() {
    try (MqttTestClient subscriber = MqttTestClient.open(node.request(), true);
        MqttTestClient publisher = MqttTestClient.connect(node, true)) {
      MqttProperties two = new MqttProperties();
      two.add(new MqttProperties.IntegerProperty(MqttProperties.RECEIVE_MAXIMUM, 2));
      subscriber.connect(each -> each.clientId("").cleanSession(true).properties(two));
      subscriber.subscribe(1, "m/window");
      for (int i = 1; i <= 8; i++) { // four times the limit
        publisher.publish("m/window", "w" + i);
      }
      assertThat(subscriber.payloads(2)).containsExactly("w1", "w2");
      subscriber.send(MqttMessage.PINGREQ);
      assertThat(subscriber.read().fixedHeader().messageType()).isEqualTo(MqttMessageType.PINGRESP);
      subscriber.acknowledge(2);
      assertThat(subscriber.message().payload()).isEqualTo("w3");
      for (int id = 1; id <= 8; id++) {
        subscriber.acknowledge(id);
      }
      assertThat(subscriber.payloads(1)).containsExactly("w4");
    }
  }

  @Test
  void shouldSendRetainedMessagesOfTopicsWithKey() {
    try (MqttTestClient publisher = MqttTestClient.connect(node, true)) {
      MqttProperties key = new MqttProperties();
      key.add(new MqttProperties.UserProperty("id", "7"));
      try (MqttTestClient keeper = MqttTestClient.connect(node, true)) {
        keeper.subscribe(0, false, 0, "kept/#");
        publisher.publish("kept/a", "old", 1, true, 1, key);
        publisher.read();
        publisher.publish("kept/a", "new", 1, true, 2, key);
        publisher.read();
        assertThat(keeper.payloads(2)).containsExactly("old", "new");
        for (int qos = 0; qos <= 1; qos++) {
          try (MqttTestClient late = MqttTestClient.connect(node, true)) {
            late.subscribe(qos, false, 0, qos == 0 ? "kept/#" : "kept/a");
            MqttTestClient.Received retained = late.message();
            assertThat(retained.payload()).isEqualTo("new");
            assertThat(retained.retain()).isTrue();
            assertThat(retained.qos()).isEqualTo(qos);
            publisher.publish("kept/a", "new", 1, true, 3, key);
            publisher.read();
            assertThat(late.message().retain()).isFalse();
          }
        }
        publisher.publish("kept/a", "", 1, true, 4, key);
        publisher.read();
        try (MqttTestClient late = MqttTestClient.connect(node, true)) {
          late.subscribe(0, false, 0, "kept/a");
          publisher.publish("kept/a", "first", 1, true, 5, key);
          assertThat(late.message().payload()).isEqualTo("first");
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void shouldSendTheIdentifiersOfSubscriptions(int qos) {
    try (MqttTestClient client = MqttTestClient.connect(node, true)) {
      subscribe(client, qos, "m/id/+", 7);
      subscribe(client, qos, "m/id/a", MAX_SUBSCRIPTION_ID);
      client.subscribe(qos, "m/id/#");
      MqttProperties sent = new MqttProperties();
      sent.add(new MqttProperties.UserProperty("colour", "b".repeat(120)));
      client.publish("m/id/a", "identified", 0, false, 0, sent);
      List<Integer> ids = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        MqttPublishMessage message = client.publication();
        MqttProperties received = message.variableHeader().properties();
        assertThat(message.payload().toString(StandardCharsets.UTF_8)).isEqualTo("identified");
        assertThat(received.getProperties(MqttProperties.USER_PROPERTY)).hasSize(1);
        received
            .getProperties(MqttProperties.SUBSCRIPTION_IDENTIFIER)
            .forEach(each -> ids.add((Integer) each.value()));
        message.release();
      }
      assertThat(ids).containsExactlyInAnyOrder(7, MAX_SUBSCRIPTION_ID);
    }
  }

  private static void subscribe(MqttTestClient client, int qos, String filter, int id) {
    MqttProperties properties = new MqttProperties();
    properties.add(new MqttProperties.IntegerProperty(MqttProperties.SUBSCRIPTION_IDENTIFIER, id));
    client.send(
        MqttMessageBuilders.subscribe()
            .messageId(1)
            .properties(properties)
            .addSubscription(MqttQoS.valueOf(qos), filter)
            .build());
    assertThat(client.read().fixedHeader().messageType()).isEqualTo(MqttMessageType.SUBACK);
  }

  @Test
  void shouldRefuseRetainWithoutKey() {
    try (MqttTestClient client = MqttTestClient.connect(node, true)) {
      client.publish("m/unkept", "x", 1, true, 5, MqttProperties.NO_PROPERTIES);
      MqttPubReplyMessageVariableHeader ack =
          (MqttPubReplyMessageVariableHeader) client.read().variableHeader();
      assertThat(ack.reasonCode() & 0xFF).isEqualTo(0x83);
      MqttProperties.StringProperty why =
          (MqttProperties.StringProperty)
              ack.properties().getProperty(MqttProperties.REASON_STRING);
      assertThat(why.value()).contains("history.key-properties");
      client.publish("m/unkept", "x", 0, true, 0, MqttProperties.NO_PROPERTIES);
      assertThat(client.disconnected()).isEqualTo(0x9A);
    }
  }

  @Test
  void shouldForwardProperties() {
    try (MqttTestClient client = MqttTestClient.connect(node, true)) {
      client.subscribe(0, "m/properties");
      MqttProperties sent = new MqttProperties();
      sent.add(new MqttProperties.StringProperty(MqttProperties.CONTENT_TYPE, "text/plain"));
      sent.add(new MqttProperties.StringProperty(MqttProperties.RESPONSE_TOPIC, "m/reply"));
      sent.add(new MqttProperties.BinaryProperty(MqttProperties.CORRELATION_DATA, new byte[] {1}));
      sent.add(new MqttProperties.UserProperty("colour", "red"));
      sent.add(new MqttProperties.UserProperty("x-y", "1"));
      sent.add(new MqttProperties.UserProperty("x-y", "2"));
      client.publish("m/properties", "p", 0, false, 0, sent);
      MqttPublishMessage message = client.publication();
      MqttProperties received = message.variableHeader().properties();
      assertThat(received.getProperty(MqttProperties.CONTENT_TYPE).value()).isEqualTo("text/plain");
      assertThat(received.getProperty(MqttProperties.RESPONSE_TOPIC).value()).isEqualTo("m/reply");
      assertThat(received.getProperty(MqttProperties.CORRELATION_DATA).value())
          .isEqualTo(new byte[] {1});
      assertThat(received.getProperties(MqttProperties.USER_PROPERTY).toString())
          .isEqualTo(sent.getProperties(MqttProperties.USER_PROPERTY).toString());
      message.release();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldResumeASessionWithWhatWasNotAcknowledged(boolean v5) {
    String topic = "m/resume" + v5;
    String id = "resume-" + v5;
    try (MqttTestClient publisher = MqttTestClient.connect(node, v5)) {
      try (MqttTestClient client = MqttTestClient.open(node.request(), v5)) {
        assertThat(persistent(client, id, v5).variableHeader().isSessionPresent()).isFalse();
        client.subscribe(1, topic);
        for (String each : List.of("a", "b", "c")) {
          publisher.publish(topic, each);
        }
        assertThat(client.payloads(3)).containsExactly("a", "b", "c");
        client.acknowledge(1);
        client.acknowledge(3);
        client.send(MqttMessage.PINGREQ);
        client.read();
        client.reset();
      }
      publisher.publish(topic, "d");
      try (MqttTestClient client = MqttTestClient.open(node.request(), v5)) {
        assertThat(persistent(client, id, v5).variableHeader().isSessionPresent()).isTrue();
        assertThat(client.message())
            .isEqualTo(new MqttTestClient.Received(topic, "b", 1, false, true, 2));
        assertThat(client.message())
            .isEqualTo(new MqttTestClient.Received(topic, "d", 1, false, false, 4));
      }
    }
  }

  private static MqttConnAckMessage persistent(MqttTestClient client, String id, boolean v5) {
    MqttProperties expiry = new MqttProperties();
    expiry.add(new MqttProperties.IntegerProperty(MqttProperties.SESSION_EXPIRY_INTERVAL, 60));
    return client.connect(
        each -> {
          each.clientId(id).cleanSession(false);
          if (v5) {
            each.properties(expiry);
          }
        });
  }

  @Test
  void shouldEndTheEarlierConnectionOfAnIdentifier() {
    try (MqttTestClient first = MqttTestClient.open(node.request(), true);
        MqttTestClient second = MqttTestClient.open(node.request(), true)) {
      persistent(first, "twice", true);
      first.subscribe(1, "m/twice");
      assertThat(persistent(second, "twice", true).variableHeader().isSessionPresent()).isTrue();
      assertThat(first.disconnected()).isEqualTo(0x8E);
      second.publish("m/twice", "moved");
      assertThat(second.message().payload()).isEqualTo("moved");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldPublishTheWillOfALostConnection(boolean v5) {
    String topic = "m/will" + v5;
    try (MqttTestClient watcher = MqttTestClient.connect(node, v5)) {
      watcher.subscribe(0, topic);
      for (boolean lost : List.of(false, true)) {
        try (MqttTestClient client = MqttTestClient.open(node.request(), v5)) {
          client.connect(
              each ->
                  each.clientId("")
                      .cleanSession(true)
                      .willFlag(true)
                      .willTopic(topic)
                      .willMessage(("lost " + lost).getBytes()));
          if (lost) {
            client.reset();
          } else {
            client.disconnect();
            assertThat(client.closed()).isEqualTo(1000);
          }
        }
      }
      assertThat(watcher.message().payload()).isEqualTo("lost true");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldAcceptATokenAsPasswordOrUserName(boolean v5) throws Exception {
    TestKey signing = TestKey.create("key", "ES256");
    try (TestIssuer issuer = TestIssuer.start()) {
      issuer.publish(signing);
      Config closed =
          config()
              .with(AuthSettings.ANONYMOUS, false)
              .with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl());
      try (TestNode strict = TestNode.start(closed)) {
        strict.awaitReady();
        String token = signing.sign(TestKey.claims());
        byte[] password = token.getBytes(StandardCharsets.UTF_8);
        assertThat(answer(strict, v5, each -> each.username("ann").password(password)))
            .isEqualTo(MqttConnectReturnCode.CONNECTION_ACCEPTED);
        assertThat(answer(strict, v5, each -> each.username(token)))
            .isEqualTo(MqttConnectReturnCode.CONNECTION_ACCEPTED);
        MqttConnectReturnCode refused =
            v5
                ? MqttConnectReturnCode.CONNECTION_REFUSED_NOT_AUTHORIZED_5
                : MqttConnectReturnCode.CONNECTION_REFUSED_NOT_AUTHORIZED;
        assertThat(answer(strict, v5, each -> each.username("ann"))).isEqualTo(refused);
        assertThat(answer(strict, v5, each -> {})).isEqualTo(refused);
      }
    }
  }

  private static MqttConnectReturnCode answer(
      TestNode at, boolean v5, Consumer<MqttMessageBuilders.ConnectBuilder> credential) {
    try (MqttTestClient client = MqttTestClient.open(at.request(), v5)) {
      return client
          .connect(each -> credential.accept(each.clientId("").cleanSession(true)))
          .variableHeader()
          .connectReturnCode();
    }
  }

  @Test
  void shouldShareSubscriptionsOfAGroup() {
    try (MqttTestClient first = MqttTestClient.connect(node, true);
        MqttTestClient second = MqttTestClient.connect(node, false);
        MqttTestClient publisher = MqttTestClient.connect(node, true)) {
      assertThat(first.subscribe(1, "$share/g/m/shared/a")).containsExactly(1);
      assertThat(second.subscribe(0, "$share/g/m/shared/a")).containsExactly(0);
      for (int i = 0; i < 4; i++) {
        publisher.publish("m/shared/a", "s" + i);
      }
      List<String> received = new ArrayList<>(second.payloads(2));
      for (int i = 0; i < 2; i++) {
        MqttTestClient.Received message = first.message();
        assertThat(message.topic()).isEqualTo("m/shared/a");
        assertThat(message.qos()).isEqualTo(1);
        received.add(message.payload());
        first.acknowledge(message.id());
      }
      assertThat(received).containsExactlyInAnyOrder("s0", "s1", "s2", "s3");
    }
  }

  @Test
  void shouldEndConnectionsOfADrainingNode() throws Exception {
    try (TestNode draining = TestNode.start(config())) {
      draining.awaitReady();
      try (MqttTestClient watcher = MqttTestClient.connect(node, true);
          MqttTestClient client = MqttTestClient.open(draining.request(), true)) {
        watcher.subscribe(0, "m/drained");
        client.connect(
            each ->
                each.clientId("")
                    .cleanSession(true)
                    .willFlag(true)
                    .willTopic("m/drained")
                    .willMessage("will".getBytes(StandardCharsets.UTF_8)));
        CompletableFuture<Void> stopped =
            CompletableFuture.runAsync(() -> draining.gateway().drainAndStop());
        assertThat(client.disconnected()).isEqualTo(0x8B);
        assertThat(client.closed()).isEqualTo(4100);
        assertThat(watcher.message().payload()).isEqualTo("will");
        client.reset();
        stopped.get(60, TimeUnit.SECONDS);
      }
    }
  }

  @Test
  void shouldKeepWithinItsLimits() {
    try (MqttTestClient client = MqttTestClient.connect(node, true)) {
      client.publish("m/big", "x".repeat(4 * 65_536), 0, false, 0, MqttProperties.NO_PROPERTIES);
      assertThat(client.closed()).isEqualTo(1009);
    }
    try (MqttTestClient client = MqttTestClient.open(node.request(), true)) {
      client.sendConnect(each -> each.clientId("x".repeat(4 * 256)).cleanSession(true));
      assertThat(client.read(MqttConnAckMessage.class).variableHeader().connectReturnCode())
          .isEqualTo(MqttConnectReturnCode.CONNECTION_REFUSED_CLIENT_IDENTIFIER_NOT_VALID);
    }
    try (MqttTestClient client = MqttTestClient.connect(node, true)) {
      MqttProperties alias = new MqttProperties();
      alias.add(new MqttProperties.IntegerProperty(MqttProperties.TOPIC_ALIAS, 64));
      client.publish("m/a", "x", 0, false, 0, alias);
      assertThat(client.disconnected()).isEqualTo(0x94);
    }
    try (MqttTestClient client = MqttTestClient.connect(node, true)) {
      client.subscribe(0, "m/alias");
      MqttProperties alias = new MqttProperties();
      alias.add(new MqttProperties.IntegerProperty(MqttProperties.TOPIC_ALIAS, 16));
      client.publish("m/alias", "named", 0, false, 0, alias);
      client.publish("", "by alias", 0, false, 0, alias);
      assertThat(client.payloads(2)).containsExactly("named", "by alias");
    }
  }

  @Test
  void shouldSendNoPacketAboveTheMaximumOfTheClient() {
    MqttProperties small = new MqttProperties();
    small.add(new MqttProperties.IntegerProperty(MqttProperties.MAXIMUM_PACKET_SIZE, 100));
    try (MqttTestClient client = MqttTestClient.open(node.request(), true)) {
      client.connect(each -> each.clientId("").cleanSession(true).properties(small));
      assertThat(client.subscribe(0, "m/small")).containsExactly(0);
      assertThat(client.subscribe(1, "m/small1")).containsExactly(1);
      for (String topic : List.of("m/small", "m/small1")) {
        client.publish(topic, "x".repeat(400));
        client.publish(topic, "fits");
        assertThat(client.message().payload()).isEqualTo("fits");
      }
    }
  }

  @Test
  void shouldRefuseWithReasonCodes() {
    try (MqttTestClient client = MqttTestClient.connect(node, true)) {
      assertThat(client.subscribe(0, "m/a", "a/#/b", "a+", "$share/g/m", "$share/g"))
          .containsExactly(0, 0x8F, 0x8F, 0x87, 0x8F);
      client.publish("elsewhere", "x", 1, false, 9, MqttProperties.NO_PROPERTIES);
      MqttPubReplyMessageVariableHeader ack =
          (MqttPubReplyMessageVariableHeader) client.read().variableHeader();
      assertThat(ack.reasonCode() & 0xFF).isEqualTo(0x87);
      client.publish("m/a", "x", 2, false, 10, MqttProperties.NO_PROPERTIES);
      assertThat(client.disconnected()).isEqualTo(0x9B);
    }
    try (MqttTestClient client = MqttTestClient.connect(node, false)) {
      assertThat(client.subscribe(0, "a+")).containsExactly(0x80);
      client.publish("elsewhere", "x", 1, false, 9, MqttProperties.NO_PROPERTIES);
      assertThat(client.closed()).isEqualTo(1000);
    }
  }

  @Test
  void shouldEndConnectionsThatViolateTheStandard() {
    try (MqttTestClient client = MqttTestClient.connect(node, true)) {
      client.sendConnect(each -> each.clientId("again"));
      assertThat(client.disconnected()).isEqualTo(0x82);
    }
    try (MqttTestClient client = MqttTestClient.connect(node, true)) {
      client.sendBytes(new byte[] {0x3F, 0});
      assertThat(client.disconnected()).isEqualTo(0x81);
    }
    try (MqttTestClient client = MqttTestClient.open(node.request(), true)) {
      client.publish("m/a", "first");
      assertThat(client.closed()).isEqualTo(1002);
    }
    try (RawWebSocket old = node.request().subprotocols("mqttv3.1").attempt()) {
      assertThat(old.status()).isEqualTo(400);
      assertThat(old.body()).contains("mqtt");
    }
  }

  @Test
  void shouldCloseAfterOneAndAHalfTimesTheKeepAlive() {
    try (MqttTestClient client = MqttTestClient.open(node.request(), true)) {
      long startNs = System.nanoTime();
      client.connect(each -> each.clientId("").cleanSession(true).keepAlive(1));
      assertThat(client.disconnected()).isEqualTo(0x8D);
      assertThat(System.nanoTime() - startNs).isGreaterThan(Duration.ofMillis(1_400).toNanos());
    }
  }

  @Test
  void shouldContinueADurableSessionAtAnyNode() throws Exception {
    Config config =
        config()
            .with(TopicSettings.TOPICS_DURABLE, List.of("m.durable.>", "m.zero"))
            .with(TopicSettings.TOPICS_SHARED, List.of(">"));
    try (TestNode first = TestNode.start(config);
        TestNode second = TestNode.start(config)) {
      first.awaitReady();
      second.awaitReady();
      try (MqttTestClient client = MqttTestClient.open(first.request(), false)) {
        assertThat(durable(client, false)).isFalse();
        assertThat(client.subscribe(1, "m/durable/+/#")).containsExactly(1);
        assertThat(client.subscribe(0, "m/zero")).containsExactly(0);
        assertThat(client.subscribe(1, "m/elsewhere", "$share/g/m/durable/x"))
            .containsExactly(0x80, 0x80);
        publish(first, "m/durable/a.b/c", "one", "two");
        assertThat(client.payloads(2)).containsExactly("one", "two");
        client.acknowledge(1);
        client.reset();
      }
      publish(first, "m/durable/a.b", "three");
      publish(first, "m/zero", "four");
      try (MqttTestClient client = MqttTestClient.open(second.request(), false)) {
        assertThat(durable(client, false)).isTrue();
        List<MqttTestClient.Received> received = new ArrayList<>();
        while (received.size() < 3) {
          received.add(client.message());
        }
        assertThat(received)
            .extracting(MqttTestClient.Received::topic, MqttTestClient.Received::payload)
            .containsExactlyInAnyOrder(
                tuple("m/durable/a.b/c", "two"),
                tuple("m/durable/a.b", "three"),
                tuple("m/zero", "four"));
        assertThat(received)
            .filteredOn(each -> each.payload().equals("two"))
            .allMatch(each -> each.dup());
        assertThat(received)
            .filteredOn(each -> each.payload().equals("four"))
            .allMatch(each -> each.qos() == 0);
        client.unsubscribe("m/zero");
        assertThat(client.read().fixedHeader().messageType()).isEqualTo(MqttMessageType.UNSUBACK);
        assertThat(durables(second)).contains("m.durable.*.>").doesNotContain("m.zero");
      }
      try (MqttTestClient client = MqttTestClient.open(first.request(), false)) {
        assertThat(durable(client, true)).isFalse();
        assertThat(durables(first)).doesNotContain("m.durable");
      }
    }
  }

  private static String durables(TestNode at) {
    try (RawWebSocket client = at.request().open()) {
      client.text("{\"type\":\"list\",\"ref\":1}");
      return client.await("listed").toString();
    }
  }

  private static boolean durable(MqttTestClient client, boolean clean) {
    return client
        .connect(each -> each.clientId("durable").cleanSession(clean))
        .variableHeader()
        .isSessionPresent();
  }

  private static void publish(TestNode at, String topic, String... payloads) {
    try (MqttTestClient publisher = MqttTestClient.connect(at, false)) {
      for (String each : payloads) {
        publisher.publish(topic, each, 1, false, 5, MqttProperties.NO_PROPERTIES);
        assertThat(publisher.read().fixedHeader().messageType()).isEqualTo(MqttMessageType.PUBACK);
      }
    }
  }
}
