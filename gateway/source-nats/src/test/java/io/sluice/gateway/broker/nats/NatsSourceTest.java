package io.sluice.gateway.broker.nats;

import static io.sluice.gateway.broker.nats.NatsScene.awaitEvent;
import static io.sluice.gateway.broker.nats.NatsScene.awaitEvents;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.nats.client.Connection;
import io.nats.client.KeyValue;
import io.nats.client.Nats;
import io.nats.client.PurgeOptions;
import io.nats.client.api.KeyValueConfiguration;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.impl.Headers;
import io.nats.client.impl.NatsMessage;
import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.NatsSettings;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.testkit.NatsServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests interests against a real server. */
final class NatsSourceTest {
  private static final long MAX_BYTES = 10_000;

  @TempDir Path folder;
  private NatsServer server;
  private NatsScene scene;

  @BeforeEach
  void start() throws Exception {
    Optional<String> program = NatsServer.provide();
    assumeThat(program).as("nats-server, see above").isPresent();
    server = NatsServer.start(program.get(), folder);
    scene =
        new NatsScene(
            server,
            config ->
                config
                    .with(BrokerSettings.FORWARD_PROPERTIES, List.of("region", "absent"))
                    .with(LimitSettings.BROKER_MESSAGE_BYTES, MAX_BYTES)
                    .with(NatsSettings.SEARCH_INTERVAL, Duration.ofMillis(100)));
  }

  @AfterEach
  void stop() throws Exception {
    if (server != null) {
      scene.close();
      server.close();
    }
  }

  @Test
  void shouldPassMessagesBehindTheEndOfTheStreamInOrder() throws Exception {
    scene.stream("orders", "orders.>");
    scene.store("orders.eu", "old 1", "old 2");
    NatsEvents.Topic topic = scene.opened("orders.eu");
    scene.store("orders.us", "other");
    scene.store("orders.eu", "a", "b", "c");

    awaitEvents(topic, "stream at 2", "active", "a", "b", "c");
    assertThat(topic.messages().stream().map(Message::identity).map(StreamPlace::offset))
        .containsExactly(4L, 5L, 6L);
  }

  @Test
  void shouldMatchWildcardsAsTheGatewayDoes() throws Exception {
    scene.stream("orders", "orders.>");
    NatsEvents.Topic level = scene.opened("orders.*.new");
    NatsEvents.Topic rest = scene.opened("orders.eu.>");
    scene.store("orders.eu.new", "a");
    scene.store("orders.us.new", "b");
    scene.store("orders.eu.new.x", "c");
    scene.store("orders.eu", "d");
    scene.store("orders.eu.new", "e");

    awaitEvents(level, "stream at -1", "active", "a", "b", "e");
    awaitEvents(rest, "stream at -1", "active", "a", "c", "e");
  }

  @Test
  void shouldContinueAfterAnOutageWithoutGapOrRepetition() throws Exception {
    scene.stream("orders", "orders.>");
    NatsEvents.Topic pattern = scene.opened("orders.*");
    NatsEvents.Topic quiet = scene.opened("orders.quiet");
    scene.store("orders.eu", "a", "b");
    awaitEvents(pattern, "stream at -1", "active", "a", "b");

    server.kill();
    server.restart();
    scene.store("orders.us", "c", "d");
    scene.store("orders.quiet", "e");

    awaitEvents(pattern, "stream at -1", "active", "a", "b", "c", "d", "e");
    awaitEvents(quiet, "stream at -1", "active", "e");
    assertThat(scene.events().source()).containsExactly("live", "lost", "live");
  }

  @Test
  void shouldLoseNothingWhileTheServerIsKilledRepeatedly() throws Exception {
    scene.stream("orders", "orders.>");
    NatsEvents.Topic topic = scene.opened("orders.eu");
    List<String> texts = IntStream.range(0, 600).mapToObj(i -> "m" + i).toList();
    for (String text : texts) {
      if (Integer.parseInt(text.substring(1)) % 150 == 100) {
        server.kill();
        server.restart();
      }
      scene.store("orders.eu", text);
    }

    awaitEvent(topic, "m599");
    assertThat(topic.events().subList(2, topic.events().size())).isEqualTo(texts);
  }

  @Test
  void shouldBeginWithTheKeysOfABucket() throws Exception {
    scene
        .client()
        .keyValueManagement()
        .create(KeyValueConfiguration.builder().name("prices").maxHistoryPerKey(3).build());
    KeyValue prices = scene.client().keyValue("prices");
    prices.put("a", "1");
    prices.put("b", "2");
    prices.put("a", "3");
    prices.put("c", "4");
    prices.delete("b");
    NatsEvents.Topic all = scene.opened("$KV.prices.>");
    NatsEvents.Topic one = scene.opened("$KV.prices.c");
    NatsEvents.Topic none = scene.opened("$KV.prices.none");
    prices.put("c", "5");
    prices.purge("a");

    awaitEvents(all, "stream at 5", "3", "4", "removal", "active", "5", "removal");
    awaitEvents(one, "stream at 5", "4", "active", "5");
    awaitEvents(none, "stream at 5", "active");
    assertThat(all.messages().get(5 - 1).payload()).isEmpty();
  }

  @Test
  void shouldReportMessagesRemovedDuringAnOutage() throws Exception {
    scene.stream("orders", "orders.>");
    NatsEvents.Topic topic = scene.opened("orders.*");
    NatsEvents.Topic untouched = scene.opened("orders.old");
    scene.store("orders.us", "a");
    scene.store("orders.old", "kept");
    awaitEvent(untouched, "kept");
    awaitEvent(topic, "kept");

    duringAnOutage(
        other -> {
          other.jetStream().publish("orders.us", "lost".getBytes(UTF_8));
          other.jetStreamManagement().purgeStream("orders", PurgeOptions.subject("orders.us"));
          other.jetStream().publish("orders.us", "b".getBytes(UTF_8));
        });
    awaitEvents(topic, "stream at -1", "active", "a", "kept", "missed broker-lost", "b");
    awaitEvents(untouched, "stream at -1", "active", "kept");
  }

  /** Changes at the server that the source does not see. */
  private interface Change {
    void apply(Connection other) throws Exception;
  }

  private void duringAnOutage(Change change) throws Exception {
    server.kill();
    server.restartElsewhere();
    Connection other = Nats.connect(server.url());
    change.apply(other);
    other.close();
    server.kill();
    server.restart();
  }

  @Test
  void shouldReportAPurgeDuringAnOutage() throws Exception {
    scene.stream("orders", "orders.>");
    NatsEvents.Topic topic = scene.opened("orders.eu");
    scene.store("orders.eu", "a");
    awaitEvent(topic, "a");

    duringAnOutage(
        other -> {
          other.jetStream().publish("orders.eu", "lost".getBytes(UTF_8));
          other.jetStreamManagement().purgeStream("orders");
        });

    awaitEvents(topic, "stream at -1", "active", "a", "missed broker-lost");
    scene.store("orders.eu", "b");
    awaitEvents(topic, "stream at -1", "active", "a", "missed broker-lost", "b");
  }

  @Test
  void shouldReportAStreamThatWasCreatedAgain() throws Exception {
    scene.stream("orders", "orders.>");
    NatsEvents.Topic topic = scene.opened("orders.eu");
    scene.store("orders.eu", "a", "b");
    awaitEvent(topic, "b");
    scene.management().deleteStream("orders");
    scene.stream("orders", "orders.>");
    scene.store("orders.eu", "c"); // also if the source has not noticed it yet

    awaitEvents(topic, "stream at -1", "active", "a", "b", "stream at -1", "c");
    assertThat(topic.places().get(0).stream()).isNotEqualTo(topic.places().get(1).stream());
  }

  @Test
  void shouldReportMessagesThatLimitsHaveRemovedBeforeAFullListenerReadThem() throws Exception {
    scene.stream(
        StreamConfiguration.builder().name("orders").subjects("orders.>").maxMessages(600));
    NatsEvents.Topic exact = scene.opened("orders.eu");
    NatsEvents.Topic all = scene.opened("orders.>");
    exact.full(true);
    all.full(true);
    for (int i = 0; i < 1_500; i++) {
      scene.store(i % 3 == 0 ? "orders.us" : "orders.eu", "m" + i);
    }
    exact.full(false);
    all.full(false);

    awaitEvent(exact, "m1499");
    awaitEvent(all, "m1499");
    assertThat(exact.events()).containsOnlyOnce("missed overload");
    assertThat(all.events()).containsOnlyOnce("missed overload");
    int gap = all.events().indexOf("missed overload");
    assertThat(all.events().get(gap + 1)).isEqualTo("m900");
    assertThat(all.events().subList(gap + 1, all.events().size())).hasSize(600);
  }

  @Test
  void shouldPauseOnlyAFullListener() throws Exception {
    scene.stream("orders", "orders.>");
    NatsEvents.Topic full = scene.opened("orders.eu");
    NatsEvents.Topic free = scene.opened("orders.*");
    full.full(true);
    List<String> texts = IntStream.range(0, 1_000).mapToObj(i -> "m" + i).toList();
    scene.store("orders.eu", texts.toArray(String[]::new));

    awaitEvent(free, "m999");
    assertThat(full.messages()).isEmpty();
    full.full(false);
    awaitEvent(full, "m999");
    assertThat(full.events().subList(2, full.events().size())).isEqualTo(texts);
  }

  @Test
  void shouldPassMessagesOfCoreSubjectsWithoutIdentity() throws Exception {
    scene.awaitLive();
    NatsEvents.Topic topic = scene.opened("news.*");
    scene.client().publish("news.eu", "a".getBytes(UTF_8));
    awaitEvents(topic, "active", "a");
    assertThat(topic.messages().get(0).identity()).isEqualTo(Message.NO_IDENTITY);

    server.kill();
    server.restart();
    awaitEvent(topic, "active again");
    await()
        .untilAsserted(
            () -> {
              scene.client().publish("news.eu", "b".getBytes(UTF_8));
              assertThat(topic.events()).contains("b");
            });
  }

  @Test
  void shouldUseTheStreamThatStoresACoreSubjectSinceLater() throws Exception {
    NatsEvents.Topic topic = scene.opened("news.*");
    scene.stream("news", "news.>");
    awaitEvent(topic, "stream at -1");
    scene.store("news.eu", "a");
    awaitEvents(topic, "active", "stream at -1", "a");
  }

  @Test
  void shouldStateThatABucketIsMissingUntilItExists() throws Exception {
    NatsEvents.Topic topic = scene.opened("$KV.later.>");
    assertThat(scene.source().waiting("$KV.later.a")).startsWith("there is no such bucket; ");
    assertThat(scene.source().waiting("news.eu")).isEmpty();
    scene
        .client()
        .keyValueManagement()
        .create(KeyValueConfiguration.builder().name("later").build());
    awaitEvent(topic, "stream at -1");
    scene.client().keyValue("later").put("a", "1");
    awaitEvents(topic, "active", "stream at -1", "1");
    assertThat(scene.source().waiting("$KV.later.a")).isEmpty();
  }

  @Test
  void shouldRefusePatternsThatNoSingleStreamStores() throws Exception {
    scene.stream("orders", "orders.eu.>");
    scene.stream("trades", "trades.>");

    awaitEvents(
        scene.open("orders.>"),
        "refused unsupported: stream orders stores only orders.eu.> of orders.>: subscribe to a"
            + " pattern within these");
    awaitEvents(
        scene.open("*.eu.>"),
        "refused unsupported: the streams orders and trades store messages of *.eu.>: subscribe to"
            + " a pattern of one stream");
  }

  @Test
  void shouldRefuseInterfacesOfTheServer() {
    for (String name : List.of("$JS.API.>", "$SYS.>", "_INBOX.x")) {
      awaitEvents(
          scene.open(name),
          "refused forbidden: the subject is not in nats.topics, or reserved: below $ except $KV, or"
              + " _INBOX");
    }
  }

  @Test
  void shouldHideInterfacesOfTheServerFromPatterns() throws Exception {
    NatsEvents.Topic all = scene.opened(">");
    scene.client().publish("$JS.API.X", null);
    scene.client().publish("_INBOX.y", null);
    scene.client().publish("news", "a".getBytes(UTF_8));

    awaitEvents(all, "active", "a");
  }

  @Test
  void shouldReadHeadersTextAndBytes() throws Exception {
    scene.stream("orders", "orders.>");
    NatsEvents.Topic topic = scene.opened("orders.>");
    long beforeMs = System.currentTimeMillis();
    Headers headers = new Headers().put("region", "EU").put("secret", "x");
    scene
        .client()
        .jetStream()
        .publish(NatsMessage.builder().subject("orders.a").headers(headers).data("grün").build());
    scene.client().jetStream().publish("orders.b", new byte[] {(byte) 0xff, 0});
    await().until(() -> topic.messages().size() == 2);

    Message text = topic.messages().get(0);
    assertThat(text.kind()).isEqualTo(PayloadKind.TEXT);
    assertThat(text.topic()).isEqualTo("orders.a");
    assertThat(new String(text.payload(), UTF_8)).isEqualTo("grün");
    assertThat(new String(text.properties(), UTF_8)).isEqualTo("{\"region\":\"EU\"}");
    assertThat(text.timeMs()).isBetween(beforeMs - 1_000, System.currentTimeMillis() + 1_000);
    assertThat(topic.messages().get(1).kind()).isEqualTo(PayloadKind.BYTES);
    assertThat(topic.messages().get(1).properties()).isNull();
  }

  @Test
  void shouldReportMessagesThatClientsCannotReceive() throws Exception {
    scene.stream("orders", "orders.>");
    NatsEvents.Topic topic = scene.opened("orders.>");
    scene.store("orders.a/b", "slash");
    scene.store("orders.big", "x".repeat((int) MAX_BYTES + 1));
    scene.store("orders.a", "a");

    awaitEvents(topic, "stream at -1", "active", "missed unsupported", "missed too-large", "a");
  }

  @Test
  void shouldReportMessagesThatASnapshotLacks() throws Exception {
    scene.stream(
        StreamConfiguration.builder().name("prices").subjects("p.>").maxMessagesPerSubject(1));
    scene.store("p.big", "x".repeat((int) MAX_BYTES + 1));
    scene.store("p.a", "a");

    assertThat(scene.opened("p.>").events())
        .containsExactly("stream at 2", "missed too-large", "a", "missed too-large", "active");
  }

  @Test
  void shouldReadMessagesLargerThanARequest() throws Exception {
    scene.stream("orders", "orders.>");
    NatsEvents.Topic topic = scene.opened("orders.>");
    for (int i = 0; i < 20; i++) {
      scene.store("orders.big", "x".repeat(900_000));
    }
    scene.store("orders.a", "a");

    awaitEvent(topic, "a");
    assertThat(topic.events()).filteredOn("missed too-large"::equals).hasSize(20);
  }

  @Test
  void shouldEndAClosedInterest() throws Exception {
    scene.stream("orders", "orders.>");
    NatsEvents.Topic topic = new NatsEvents.Topic();
    Broker.Consumer consumer = scene.open("orders.eu", topic);
    awaitEvent(topic, "active");
    scene.onControl(consumer::close);
    NatsEvents.Topic other = scene.opened("orders.>");
    scene.store("orders.eu", "a");

    awaitEvent(other, "a");
    assertThat(topic.messages()).isEmpty();
    await().until(() -> scene.management().getConsumerNames("orders").size() == 1);
  }
}
