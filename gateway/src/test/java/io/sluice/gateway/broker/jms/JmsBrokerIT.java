package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.PluginJar;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.ClassicBroker;
import io.sluice.testkit.TestBroker;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientProducer;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.apache.activemq.artemis.api.core.client.ServerLocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JmsBrokerIT {
  private final ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor();
  private final Exposition exposition = new Exposition("jms-broker-it");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final BrokerEvents recorder = new BrokerEvents();
  private final List<String> events = recorder.list();
  private TestBroker server;
  private JmsBroker broker;

  @AfterEach
  void stop() throws Exception {
    if (broker != null) {
      onControl(
          () -> {
            broker.stop();
            return null;
          });
    }
    control.shutdown();
    metrics.close();
    exposition.close();
    if (server != null) {
      server.close();
    }
  }

  private Config config(String provider) {
    return Config.defaults()
        .with(BrokerSettings.PROVIDER, provider)
        .with(BrokerSettings.URL, server.url())
        .with(BrokerSettings.RECONNECT_MAX, Duration.ofMillis(500));
  }

  private void connect(Config config) {
    broker = new JmsBroker(JmsOptions.of(config), QueueSupport.ABSENT, control, recorder, metrics);
    broker.start();
    awaitEvent("live");
  }

  private void startAndConnect(String provider) {
    server = TestBroker.start(provider);
    connect(config(provider));
  }

  private <T> T onControl(java.util.concurrent.Callable<T> task) throws Exception {
    return control.submit(task).get(120, TimeUnit.SECONDS);
  }

  private void awaitEvent(String event) {
    await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> assertThat(events).contains(event));
  }

  private final class Topic implements TopicListener {
    private final String name;
    private final List<Message> messages = new CopyOnWriteArrayList<>();
    private final List<Long> sequences = new CopyOnWriteArrayList<>();
    private final List<GapReason> missed = new CopyOnWriteArrayList<>();

    Topic(String name) {
      this.name = name;
    }

    @Override
    public void onMessage(Message message, DeliveryInfo delivery) {
      sequences.add(delivery.sequence());
      messages.add(message);
    }

    @Override
    public void onMissed(GapReason reason, DeliveryInfo delivery) {
      missed.add(reason);
    }

    @Override
    public void onActive(boolean again) {
      events.add(name + (again ? " active again" : " active"));
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      events.add(name + " refused: " + code);
    }

    private List<String> texts() {
      return messages.stream()
          .map(message -> new String(message.payload(), StandardCharsets.UTF_8))
          .toList();
    }

    private void awaitCount(int count) {
      await()
          .atMost(Duration.ofMinutes(2))
          .untilAsserted(() -> assertThat(messages).hasSize(count));
    }
  }

  /** Opens a topic at a connected broker and waits for its response. */
  private Topic open(String pattern) throws Exception {
    Topic topic = openLater(pattern);
    await()
        .atMost(Duration.ofMinutes(2))
        .until(
            () ->
                events.contains(pattern + " active")
                    || events.stream().anyMatch(event -> event.startsWith(pattern + " refused")));
    return topic;
  }

  private Topic openLater(String pattern) throws Exception {
    Topic topic = new Topic(pattern);
    onControl(() -> broker.open(InterestKey.of(pattern), topic));
    return topic;
  }

  /** Creates messages in a JMS session and sends them. */
  @FunctionalInterface
  private interface Sending {
    void with(Session session, MessageProducer producer) throws JMSException;
  }

  private void send(Sending sending) throws JMSException {
    ConnectionFactory factory =
        server.provider().equals("classic")
            ? new org.apache.activemq.ActiveMQConnectionFactory(server.url())
            : new org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory(server.url());
    try (Connection connection = factory.createConnection()) {
      Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
      sending.with(session, session.createProducer(null));
    }
  }

  private void sendText(String topic, String... texts) throws JMSException {
    send(
        (session, producer) -> {
          for (String text : texts) {
            producer.send(session.createTopic(topic), session.createTextMessage(text));
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldReadEveryKindOfMessage(String provider) throws Exception {
    startAndConnect(provider);
    Topic topic = open("kinds");
    send(
        (session, producer) -> {
          jakarta.jms.Topic kinds = session.createTopic("kinds");
          producer.send(kinds, session.createTextMessage("h\u00e9llo \u20ac"));
          BytesMessage bytes = session.createBytesMessage();
          bytes.writeBytes(new byte[] {0, -1, 16});
          producer.send(kinds, bytes);
          MapMessage map = session.createMapMessage();
          map.setInt("quantity", 5);
          producer.send(kinds, map);
          StreamMessage stream = session.createStreamMessage();
          stream.writeString("a");
          stream.writeDouble(1.5);
          stream.writeBoolean(true);
          producer.send(kinds, stream);
          producer.send(kinds, session.createObjectMessage("never deserialised"));
          producer.send(kinds, session.createTextMessage("last"));
        });
    topic.awaitCount(5);

    assertThat(topic.messages)
        .extracting(Message::kind)
        .containsExactly(
            PayloadKind.TEXT,
            PayloadKind.BYTES,
            PayloadKind.JSON,
            PayloadKind.JSON,
            PayloadKind.TEXT);
    assertThat(topic.texts().get(0)).isEqualTo("h\u00e9llo \u20ac");
    assertThat(topic.messages.get(1).payload()).containsExactly(0, -1, 16);
    assertThat(topic.texts().get(2)).isEqualTo("{\"quantity\":5}");
    assertThat(topic.texts().get(3)).isEqualTo("[\"a\",1.5,true]");
    assertThat(topic.missed).containsExactly(GapReason.UNSUPPORTED);
    assertThat(topic.messages).extracting(Message::identity).doesNotHaveDuplicates();
    assertThat(topic.messages)
        .allSatisfy(
            message ->
                assertThat(message.timeMs())
                    .isCloseTo(
                        System.currentTimeMillis(), org.assertj.core.data.Offset.offset(60_000L)));
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldMatchPatternsBySluicesRules(String provider) throws Exception {
    startAndConnect(provider);
    Topic one = open("w.*");
    Topic rest = open("w.>");
    for (String name : List.of("w", "w.1", "w.1.2", "x.1")) {
      sendText(name, name);
    }
    sendText("w.end", "end");
    rest.awaitCount(3);
    one.awaitCount(2);

    assertThat(one.messages).extracting(Message::topic).containsExactly("w.1", "w.end");
    assertThat(rest.messages).extracting(Message::topic).containsExactly("w.1", "w.1.2", "w.end");
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldForwardOnlyAllowlistedProperties(String provider) throws Exception {
    server = TestBroker.start(provider);
    connect(
        config(provider).with(BrokerSettings.FORWARD_PROPERTIES, List.of("symbol", "priority")));
    Topic topic = open("properties");
    send(
        (session, producer) -> {
          TextMessage message = session.createTextMessage("x");
          message.setStringProperty("symbol", "AC\"ME");
          message.setIntProperty("priority", 3);
          message.setStringProperty("secret", "no");
          producer.send(session.createTopic("properties"), message);
          producer.send(session.createTopic("properties"), session.createTextMessage("y"));
        });
    topic.awaitCount(2);

    assertThat(new String(topic.messages.get(0).properties(), StandardCharsets.UTF_8))
        .isEqualTo("{\"symbol\":\"AC\\\"ME\",\"priority\":3}");
    assertThat(topic.messages.get(1).properties()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldReportMessagesThatAreTooLarge(String provider) throws Exception {
    server = TestBroker.start(provider);
    connect(config(provider).with(LimitSettings.BROKER_MESSAGE_BYTES, 10L));
    Topic topic = open("sizes");
    send(
        (session, producer) -> {
          jakarta.jms.Topic sizes = session.createTopic("sizes");
          producer.send(sizes, session.createTextMessage("x".repeat(11)));
          producer.send(sizes, session.createTextMessage("\u20ac".repeat(4)));
          BytesMessage bytes = session.createBytesMessage();
          bytes.writeBytes(new byte[11]);
          producer.send(sizes, bytes);
          producer.send(sizes, session.createTextMessage("x".repeat(10)));
        });
    topic.awaitCount(1);

    assertThat(topic.missed)
        .containsExactly(GapReason.TOO_LARGE, GapReason.TOO_LARGE, GapReason.TOO_LARGE);
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldPublishAndConfirm(String provider) throws Exception {
    startAndConnect(provider);
    Topic topic = open("chat");
    PublishOutcome text =
        publish("chat", PayloadKind.TEXT, "hello", Map.of("n", 3L, "s", "t", "d", 1.5, "b", true));
    PublishOutcome bytes = publish("chat", PayloadKind.BYTES, "\u0000", Map.of());

    assertThat(text.await()).isEqualTo("published");
    assertThat(bytes.await()).isEqualTo("published");
    topic.awaitCount(2);
    assertThat(topic.texts().get(0)).isEqualTo("hello");
    assertThat(topic.messages.get(1).kind()).isEqualTo(PayloadKind.BYTES);
  }

  private PublishOutcome publish(
      String topic, PayloadKind kind, String payload, Map<String, Object> properties) {
    PublishOutcome outcome = new PublishOutcome();
    byte[] bytes = payload.getBytes(StandardCharsets.UTF_8);
    broker.publish(new Publication(topic, kind, bytes, properties), outcome);
    return outcome;
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldReconnectAfterTheBrokerWasKilled(String provider) throws Exception {
    startAndConnect(provider);
    Topic topic = open("again");
    sendText("again", "before");
    topic.awaitCount(1);

    server.kill();
    awaitEvent("lost");
    assertThat(publish("again", PayloadKind.TEXT, "x", Map.of()).await())
        .isEqualTo("broker-unavailable");
    Topic late = openLater("late");
    events.removeAll(List.of("live"));
    server.restart();
    awaitEvent("live");

    assertThat(events)
        .containsSubsequence("again active", "lost", "again active again", "live")
        .containsSubsequence("lost", "late active", "live");
    sendText("again", "after");
    sendText("late", "after");
    topic.awaitCount(2);
    late.awaitCount(1);
    assertThat(topic.texts()).containsExactly("before", "after");
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldConnectToABrokerThatStartsLater(String provider) throws Exception {
    server = TestBroker.start(provider);
    server.kill();
    broker =
        new JmsBroker(
            JmsOptions.of(config(provider)), QueueSupport.ABSENT, control, recorder, metrics);
    broker.start();
    Topic topic = openLater("early");
    server.restart();
    awaitEvent("live");

    assertThat(events).containsExactly("early active", "live");
    sendText("early", "x");
    topic.awaitCount(1);
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldPreserveTheOrderOfOnePublisher(String provider) throws Exception {
    startAndConnect(provider);
    Topic topic = open("order");
    List<String> sent = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      sent.add(String.valueOf(i));
    }
    sendText("order", sent.toArray(String[]::new));
    topic.awaitCount(2_000);

    assertThat(topic.texts()).isEqualTo(sent);
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldUseOneConnectionAndReleaseConsumers(String provider) throws Exception {
    startAndConnect(provider);
    List<Broker.Consumer> opened = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      String name = "many." + i;
      opened.add(onControl(() -> broker.open(InterestKey.of(name), new Topic(name))));
      awaitEvent(name + " active");
    }
    assertThat(server.connections()).isEqualTo(1);
    assertThat(server.consumers("many.3")).isEqualTo(1);

    for (Broker.Consumer interest : opened) {
      onControl(
          () -> {
            interest.close();
            return null;
          });
    }
    await().untilAsserted(() -> assertThat(server.consumers("many.3")).isZero());
    assertThat(server.connections()).isEqualTo(1);
  }

  @Test
  void shouldRefuseATopicThatDoesNotExistAtTheBroker() throws Exception {
    server = ArtemisProcess.start("--closed", "closed");
    connect(config("artemis"));
    open("closed.1");
    awaitEvent("closed.1 refused: UNKNOWN_TOPIC");
    assertThat(publish("closed.1", PayloadKind.TEXT, "x", Map.of()).await())
        .isEqualTo("unknown-topic");
    Topic other = open("open.1");
    sendText("open.1", "x");
    other.awaitCount(1);
    assertThat(events).as("one refusal costs no connection").doesNotContain("lost");
  }

  @Test
  void shouldLoadAProviderFromAFolderOfJars(@TempDir Path folder) throws Exception {
    server = TestBroker.start("classic");
    PluginJar.write(folder, "plugin.PluggedFactory", ActiveMQConnectionFactory.class);
    connect(
        config("factory")
            .with(BrokerSettings.JARS, folder.toString())
            .with(BrokerSettings.CONNECTION_FACTORY, "plugin.PluggedFactory")
            .with(BrokerSettings.PROPERTIES, Map.of("brokerURL", server.url())));
    checkPlugged();
  }

  @Test
  void shouldReopenAConsumerThatTheBrokerClosed() throws Exception {
    ArtemisProcess artemis = ArtemisProcess.start();
    server = artemis;
    connect(config("artemis"));
    Topic topic = open("deleted");
    artemis.deleteQueues("deleted");
    awaitEvent("deleted active again");
    sendText("deleted", "x");
    topic.awaitCount(1);
    assertThat(events).doesNotContain("lost");
  }

  @Test
  void shouldTryEachBrokerOfAFailoverUrlAndReconnect() throws Exception {
    server = TestBroker.start("classic");
    String url = "failover:(tcp://127.0.0.1:1," + server.url() + ")";
    connect(config("classic").with(BrokerSettings.URL, url));
    Topic topic = open("failover");
    server.kill();
    awaitEvent("lost");
    server.restart();
    awaitEvent("failover active again");
    sendText("failover", "x");
    topic.awaitCount(1);
  }

  @Tag("full")
  @Test
  void shouldSpreadInterestsOverSeveralConnections() throws Exception {
    server = TestBroker.start("artemis");
    connect(config("artemis").with(BrokerSettings.CONNECTIONS, 3));
    Topic topic = open("spread.1");
    assertThat(server.connections()).isEqualTo(3);
    sendText("spread.1", "x");
    topic.awaitCount(1);
  }

  @Test
  void shouldConnectByTheClassOfAConnectionFactory() throws Exception {
    server = TestBroker.start("classic");
    connect(
        config("factory")
            .with(
                BrokerSettings.CONNECTION_FACTORY, "org.apache.activemq.ActiveMQConnectionFactory")
            .with(
                BrokerSettings.PROPERTIES,
                Map.of("brokerURL", server.url(), "sendTimeout", "5000")));
    checkPlugged();
  }

  @Test
  void shouldConnectByJndi() throws Exception {
    server = TestBroker.start("classic");
    connect(
        config("jndi")
            .with(
                BrokerSettings.PROPERTIES,
                Map.of(
                    "java.naming.factory.initial",
                    "org.apache.activemq.jndi.ActiveMQInitialContextFactory",
                    "java.naming.provider.url",
                    server.url())));
    checkPlugged();
  }

  /** A plugged provider may connect to any broker, whose internal names the node must guess. */
  @Test
  void shouldServeNoInternalNamesOfAPluggedProvider() throws Exception {
    server = TestBroker.start("classic");
    Config plugged =
        config("factory")
            .with(
                BrokerSettings.CONNECTION_FACTORY, "org.apache.activemq.ActiveMQConnectionFactory")
            .with(BrokerSettings.PROPERTIES, Map.of("brokerURL", server.url()));
    connect(plugged);
    Topic all = open(">");
    for (String name :
        List.of(
            "ActiveMQ.Advisory.>",
            "ActiveMQ.Advisory.*.Queue.>",
            "ActiveMQ.Advisory.Connection",
            "activemq.management",
            "activemq.notifications",
            "$sys.>",
            "$SYS",
            "SYSTEM.ADMIN.*")) {
      open(name);
      assertThat(events).contains(name + " refused: FORBIDDEN");
      if (name.indexOf('*') < 0 && name.indexOf('>') < 0) {
        assertThat(publish(name)).as(name).isEqualTo("forbidden");
      }
    }
    sendText("ActiveMQ.Advisory.Connection", "forged");
    sendText("SYSTEM.ADMIN.EVENT", "secret");
    sendText("SYSTEMS.a", "x");
    all.awaitCount(1);
    assertThat(all.messages).extracting(Message::topic).containsExactly("SYSTEMS.a");
  }

  @Test
  void shouldServeInternalNamesThatTheConfigurationLists() throws Exception {
    server = TestBroker.start("classic");
    connect(
        config("factory")
            .with(
                BrokerSettings.CONNECTION_FACTORY, "org.apache.activemq.ActiveMQConnectionFactory")
            .with(BrokerSettings.PROPERTIES, Map.of("brokerURL", server.url()))
            .with(BrokerSettings.INTERNAL_NAMES, List.of("SYSTEM.REPORTS.>")));
    Topic reports = open("SYSTEM.REPORTS.*");
    sendText("SYSTEM.REPORTS.a", "x");
    reports.awaitCount(1);
    open("SYSTEM.>");
    assertThat(events).contains("SYSTEM.> refused: FORBIDDEN");
    assertThat(publish("SYSTEM.ADMIN")).isEqualTo("forbidden");
  }

  private void checkPlugged() throws Exception {
    Topic topic = open("plugged.>");
    sendText("plugged.1", "x");
    topic.awaitCount(1);
    assertThat(topic.messages.get(0).topic()).isEqualTo("plugged.1");
  }

  @Test
  void shouldKeepTryingWhenTheFactoryIsWrong() {
    server = TestBroker.start("classic");
    Config wrong = config("factory").with(BrokerSettings.CONNECTION_FACTORY, "no.such.Factory");
    broker = new JmsBroker(JmsOptions.of(wrong), QueueSupport.ABSENT, control, recorder, metrics);
    broker.start();
    await()
        .untilAsserted(
            () ->
                assertThat(
                        new String(
                                exposition.scrape(
                                    io.sluice.gateway.metrics.ScrapeFormat.accepting("")),
                                StandardCharsets.UTF_8)
                            .lines()
                            .filter(
                                line -> line.startsWith("sluice_broker_reconnect_attempts_total{"))
                            .mapToDouble(line -> Double.parseDouble(line.split(" ")[1]))
                            .sum())
                    .isGreaterThan(2));
    assertThat(events).isEmpty();
  }

  @Test
  void shouldNotReachArtemisQueuesByATopicName() throws Exception {
    startAndConnect("artemis");
    send(
        (session, producer) ->
            producer.send(session.createQueue("orders"), session.createTextMessage("not for you")));
    open("orders::orders");
    open("activemq.notifications");

    assertThat(events)
        .contains("orders::orders refused: FORBIDDEN")
        .contains("activemq.notifications refused: FORBIDDEN");
    assertThat(publish("orders::orders")).isEqualTo("forbidden");
    assertThat(publish("activemq.management")).isEqualTo("forbidden");
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldReportNoSequenceForMessagesThatMayHaveOvertakenOlderOnes(String provider)
      throws Exception {
    startAndConnect(provider);
    Topic topic = open("priorities");
    int[] priorities = {4, 9, 4, 1, 4, 1};
    for (int i = 0; i < priorities.length; i++) {
      int priority = priorities[i];
      send(
          (session, producer) -> {
            producer.setPriority(priority);
            producer.send(session.createTopic("priorities"), session.createTextMessage("x"));
          });
      topic.awaitCount(i + 1);
    }
    assertThat(topic.sequences)
        .extracting(sequence -> sequence != Broker.NO_SEQUENCE)
        .containsExactly(true, false, true, true, false, true);
  }

  @Test
  void shouldReportAnArtemisMessageOfAnUnknownType() throws Exception {
    startAndConnect("artemis");
    Topic topic = open("odd");
    try (ServerLocator locator = ActiveMQClient.createServerLocator(server.url());
        ClientSessionFactory factory = locator.createSessionFactory();
        ClientSession session = factory.createSession();
        ClientProducer producer = session.createProducer("odd")) {
      producer.send(session.createMessage((byte) 99, false));
    }
    sendText("odd", "x");
    topic.awaitCount(1);
    assertThat(topic.missed).containsExactly(GapReason.UNSUPPORTED);
  }

  @Tag("full")
  @Test
  void shouldRefuseAnArtemisTopicWithAQuestionMark() throws Exception {
    startAndConnect("artemis");
    Topic secret = open("chat.secret");
    open("chat.secret?a.public");

    assertThat(events).contains("chat.secret?a.public refused: FORBIDDEN");
    assertThat(publish("chat.secret?a.public")).isEqualTo("forbidden");
    assertThat(publish("chat.secret")).isEqualTo("published");
    secret.awaitCount(1);
  }

  @Test
  void shouldRefuseClassicTopicsWithSpecialSyntax() throws Exception {
    startAndConnect("classic");
    for (String name :
        List.of("public.x,secret.y", "any?consumer.prefetchSize=0", "ActiveMQ.Advisory.>")) {
      open(name);
      assertThat(events).contains(name + " refused: FORBIDDEN").doesNotContain("lost");
    }
    assertThat(publish("public.x,secret.y")).isEqualTo("forbidden");
  }

  @Test
  void shouldKeepTheConnectionWhenTheBrokerFailsToServeOneTopic() throws Exception {
    ClassicBroker classic = ClassicBroker.start();
    server = classic;
    connect(config("classic"));
    classic.failConsumersOf("poison");
    Topic healthy = open("healthy");
    open("poison");
    assertThat(events).contains("poison refused: BROKER_UNAVAILABLE").doesNotContain("lost");

    sendText("healthy", "x");
    healthy.awaitCount(1);
    assertThat(events).doesNotContain("lost", "healthy active again");
  }

  private String publish(String topic) throws Exception {
    return publish(topic, PayloadKind.TEXT, "", Map.of()).await();
  }
}
