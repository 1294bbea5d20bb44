package io.sluice.gateway.broker.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.KafkaSettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.testkit.KafkaProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of interests in topics of a real server. */
final class KafkaSourceTest {
  private static final String NOT_FORWARDED = "a message is not forwarded: ";
  private static final String WAITING = "sluice_schema_topics_waiting";

  @TempDir private static Path folder;

  private static KafkaProcess server;
  private static KafkaTopics topics;

  @BeforeAll
  static void startServer() {
    server = KafkaProcess.start(folder);
    topics = new KafkaTopics(server.server());
  }

  @AfterAll
  static void stopServer() {
    topics.close();
    server.close();
  }

  private static SourceScene plain(String... names) {
    return SourceScene.start(server.server(), List.of(names), List.of());
  }

  private static SourceScene keyed(String... names) {
    return SourceScene.start(server.server(), List.of(), List.of(names));
  }

  @Test
  void shouldPassMessagesAfterThePlace() throws Exception {
    topics.create("after", 1);
    topics.publish("after", "k", "old");
    try (SourceScene scene = plain("after")) {
      TopicEvents events = scene.open("after").awaitActive();
      topics.publish("after", "k", "new");
      topics.publish("after", "k", null);
      events.awaitMessages(2);
      assertThat(events.all()).containsExactly("stream", "active", "new", "removal");
      assertThat(events.places().get(0).ids()).containsExactly(StreamPlace.id(0, 0));
      assertThat(events.messages())
          .extracting(Message::identity)
          .containsExactly(StreamPlace.id(0, 1), StreamPlace.id(0, 2));
      assertThat(events.messages()).extracting(Message::key).containsOnly("k");
      assertThat(scene.events).containsExactly("live");
      assertThat(scene.source.state()).isEqualTo("connected");
    }
  }

  @Test
  void shouldHaveOnePlacePerTopicOnAllNodes() throws Exception {
    topics.create("two", 2);
    topics.publish("two", "k", "old");
    try (SourceScene first = plain("two");
        SourceScene second = plain("two")) {
      StreamPlace place = first.open("two").awaitActive().places().get(0);
      StreamPlace same = second.open("two").awaitActive().places().get(0);
      assertThat(same.stream()).isEqualTo(place.stream());
      assertThat(same.ids()).isEqualTo(place.ids());
    }
  }

  @Test
  void shouldMapKeysToTopics() throws Exception {
    topics.create("keyed.orders", 3);
    try (SourceScene scene = keyed("keyed.orders")) {
      TopicEvents one = scene.open("keyed.orders.eu.de").awaitActive();
      TopicEvents pattern = scene.open("keyed.orders.eu.*").awaitActive();
      TopicEvents all = scene.open("keyed.orders.>").awaitActive();
      TopicEvents keyless = scene.open("keyed.orders").awaitActive();
      topics.publish("keyed.orders", "eu.de", "a");
      topics.publish("keyed.orders", "eu.fr", "b");
      topics.publish("keyed.orders", "us", "c");
      topics.publish("keyed.orders", null, "d");
      topics.publish("keyed.orders", "not a topic", "e");
      one.awaitMessages(1);
      all.awaitMessages(3).await("missed UNSUPPORTED");
      pattern.awaitMessages(2).await("missed UNSUPPORTED");
      keyless.awaitMessages(1);
      assertThat(one.all()).containsExactly("stream", "active", "a");
      assertThat(keyless.all()).containsExactly("stream", "active", "d");
      assertThat(pattern.messages())
          .extracting(Message::topic)
          .containsExactlyInAnyOrder("keyed.orders.eu.de", "keyed.orders.eu.fr");
      assertThat(all.messages()).hasSize(3).extracting(Message::key).containsOnlyNulls();
    }
  }

  @Test
  void shouldServeSinglePartitions() throws Exception {
    topics.create("parts", 3, "cleanup.policy=compact");
    for (int partition = 0; partition < 3; partition++) {
      topics.send("parts", partition, "k", "old " + partition).get();
    }
    try (SourceScene scene = partitioned("parts")) {
      TopicEvents one = scene.open("parts.1").awaitActive();
      TopicEvents all = scene.open("parts.*").awaitActive();
      topics.send("parts", 0, "k", "a").get();
      topics.send("parts", 1, "k", "b").get();
      one.awaitMessages(2);
      all.awaitMessages(5);
      assertThat(one.all()).containsExactly("stream", "old 1", "active", "b");
      assertThat(one.places().get(0).ids()).containsExactly(StreamPlace.id(1, 0));
      assertThat(one.messages()).extracting(Message::topic).containsOnly("parts.1");
      assertThat(one.messages()).extracting(Message::key).containsOnly("k");
      assertThat(all.messages())
          .extracting(Message::topic)
          .containsExactlyInAnyOrder("parts.0", "parts.1", "parts.2", "parts.0", "parts.1");
      assertThat(refusal(scene, "parts.3"))
          .isEqualTo("refused UNKNOWN_TOPIC: the topic has no such partition, but 3");
      assertThat(refusal(scene, "parts")).contains("UNKNOWN_TOPIC", "kafka.partition-topics");
      StreamPlace none = new StreamPlace(one.places().get(0).stream(), new long[0]);
      assertThat(texts(readBack(scene, InterestKey.of("parts.1"), none, one.places().get(0), 10)))
          .containsExactly("old 1");
    }
  }

  private static SourceScene partitioned(String topic) {
    return SourceScene.start(
        SourceScene.config(server.server(), List.of(), List.of())
            .with(KafkaSettings.PARTITION_TOPICS, List.of(topic)));
  }

  @Test
  void shouldForwardHeadersAndBytes() throws Exception {
    topics.create("headers", 1);
    try (SourceScene scene =
        SourceScene.start(
            SourceScene.config(server.server(), List.of("headers"), List.of())
                .with(BrokerSettings.FORWARD_PROPERTIES, List.of("kind", "absent")))) {
      TopicEvents events = scene.open("headers").awaitActive();
      ProducerRecord<byte[], byte[]> record =
          new ProducerRecord<>("headers", null, new byte[] {(byte) 0xff, 0});
      record.headers().add("kind", "x\"y".getBytes(UTF_8)).add("other", new byte[] {1});
      topics.publish(record);
      Message message = events.awaitMessages(1).messages().get(0);
      assertThat(message.kind()).isEqualTo(PayloadKind.BYTES);
      assertThat(message.payload()).containsExactly(0xff, 0);
      assertThat(new String(message.properties(), UTF_8)).isEqualTo("{\"kind\":\"x\\\"y\"}");
    }
  }

  @Test
  void shouldForwardKeysAsTheConfiguredProperty() throws Exception {
    topics.create("items", 1, "cleanup.policy=compact");
    topics.create("others", 1);
    topics.publish("items", "a", "1");
    Config config =
        SourceScene.config(server.server(), List.of("items", "others"), List.of())
            .with(HistorySettings.KEY_PROPERTIES, List.of("items=id"))
            .with(BrokerSettings.FORWARD_PROPERTIES, List.of("id", "kind"));
    try (SourceScene scene = SourceScene.start(config)) {
      TopicEvents items = scene.open("items").awaitActive();
      TopicEvents others = scene.open("others").awaitActive();
      ProducerRecord<byte[], byte[]> record =
          new ProducerRecord<>("items", "b".getBytes(UTF_8), new byte[1]);
      record.headers().add("id", "header".getBytes(UTF_8)).add("kind", "k".getBytes(UTF_8));
      topics.publish(record);
      topics.publish("items", "a", null);
      topics.publish("others", "c", "4");
      assertThat(items.awaitMessages(3).messages())
          .extracting(KafkaSourceTest::properties)
          .containsExactly("{\"id\":\"a\"}", "{\"id\":\"b\",\"kind\":\"k\"}", "{\"id\":\"a\"}");
      assertThat(others.awaitMessages(1).messages().get(0).properties()).isNull();
    }
  }

  private static String properties(Message message) {
    return message.properties() == null ? "" : new String(message.properties(), UTF_8);
  }

  @Test
  void shouldRefuseTopicsThatAreNotServed() throws Exception {
    try (SourceScene scene =
        SourceScene.start(server.server(), List.of("absent"), List.of("keyed.orders"))) {
      assertThat(refusal(scene, "other")).contains("UNKNOWN_TOPIC", "kafka.topics");
      assertThat(refusal(scene, "absent")).contains("UNKNOWN_TOPIC", "no such topic");
      assertThat(refusal(scene, ">")).contains("UNSUPPORTED", "kafka.keyed-topics");
      assertThat(refusal(scene, "keyed.*")).contains("UNSUPPORTED", "kafka.keyed-topics");
    }
  }

  @Tag("full")
  @Test
  void shouldRefuseTopicWithMorePartitionsThanPositionHasIds() throws Exception {
    topics.create("many", 1_025);
    try (SourceScene scene = SourceScene.start(server.server(), List.of("many"), List.of())) {
      assertThat(refusal(scene, "many")).contains("UNSUPPORTED", "more than 1024 partitions");
    }
  }

  private static String refusal(SourceScene scene, String topic) {
    TopicEvents events = scene.open(topic);
    Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> !events.all().isEmpty());
    return events.all().get(0);
  }

  @Test
  void shouldPassTheNewestMessageOfEachKeyOfACompactedTopic() throws Exception {
    topics.create("prices", 2, "cleanup.policy=compact");
    for (String price : List.of("a=1", "b=1", "a=2", "c=1", "b=2")) {
      topics.publish("prices", price.split("=")[0], price);
    }
    topics.publish("prices", "c", null);
    try (SourceScene scene = plain("prices")) {
      TopicEvents events = scene.open("prices").awaitActive();
      assertThat(events.all().get(0)).isEqualTo("stream");
      assertThat(events.all().subList(1, 3)).containsExactlyInAnyOrder("a=2", "b=2");
      assertThat(events.all().get(3)).isEqualTo("active");
      topics.publish("prices", "a", "a=3");
      topics.publish("prices", "b", null);
      events.awaitMessages(4);
      assertThat(events.all().subList(4, 6)).containsExactlyInAnyOrder("a=3", "removal");
    }
  }

  @Test
  void shouldReadASnapshotOfOneKey() throws Exception {
    topics.create("stock", 3, "cleanup.policy=compact");
    for (String item : List.of("a.1", "a.2", "b.1")) {
      topics.publish("stock", item, item + " old");
      topics.publish("stock", item, item);
    }
    try (SourceScene scene = keyed("stock")) {
      assertThat(scene.open("stock.a.1").awaitActive().all())
          .containsExactly("stream", "a.1", "active");
      assertThat(scene.open("stock.a.*").awaitActive().all())
          .containsExactlyInAnyOrder("stream", "a.1", "a.2", "active");
      assertThat(scene.open("stock.none").awaitActive().all()).containsExactly("stream", "active");
    }
  }

  @Test
  void shouldKeepTheOrderOfEachPartition() throws Exception {
    topics.create("order", 12);
    try (SourceScene scene = plain("order")) {
      TopicEvents events = scene.open("order").awaitActive();
      List<Future<?>> sent = new ArrayList<>();
      for (int number = 0; number < 6_000; number++) {
        sent.add(topics.send("order", number % 12, null, String.valueOf(number)));
      }
      TopicEvents late = scene.open("order").awaitActive();
      for (Future<?> each : sent) {
        each.get();
      }
      events.awaitMessages(6_000);
      assertComplete(events, 12, 6_000);
      assertContinues(late);
    }
  }

  /** Asserts that each number has arrived once, those of a partition in order. */
  private static void assertComplete(TopicEvents events, int partitions, int count) {
    assertThat(events.messages()).hasSize(count);
    int[] next = IntStream.range(0, partitions).toArray();
    for (Message message : events.messages()) {
      int number = Integer.parseInt(new String(message.payload(), UTF_8));
      int partition = StreamPlace.partition(message.identity());
      assertThat(number).isEqualTo(next[partition]);
      next[partition] += partitions;
    }
    assertThat(events.all()).noneMatch(event -> event.startsWith("missed"));
  }

  /** Asserts that all messages after the place have arrived. */
  private static void assertContinues(TopicEvents events) {
    StreamPlace place = events.places().get(0);
    Awaitility.await()
        .until(
            () ->
                IntStream.range(0, 12)
                    .allMatch(
                        partition ->
                            events.messages().stream()
                                    .filter(
                                        each -> StreamPlace.partition(each.identity()) == partition)
                                    .count()
                                == 499 - place.offsetOf(partition)));
  }

  @Test
  void shouldReadNewPartitionsFromTheirBeginning() throws Exception {
    topics.create("growing", 1);
    try (SourceScene scene = plain("growing")) {
      TopicEvents events = scene.open("growing").awaitActive();
      topics.grow("growing", 3);
      topics.publishNumbers("growing", 2, 0, 10);
      events.awaitMessages(10);
      assertThat(events.messages().get(0).identity()).isEqualTo(StreamPlace.id(2, 0));
      assertThat(events.places()).hasSize(1);
    }
  }

  @Test
  void shouldPauseOnlyTheTopicOfAFullListener() throws Exception {
    topics.create("full", 2);
    topics.create("free", 1);
    try (SourceScene scene = plain("full", "free")) {
      TopicEvents full = scene.open("full").awaitActive();
      TopicEvents free = scene.open("free").awaitActive();
      full.full(true);
      topics.publishNumbers("full", 0, 0, 3_000);
      topics.publishNumbers("free", 0, 0, 3_000);
      free.awaitMessages(3_000);
      assertThat(full.messages()).isEmpty();
      full.full(false);
      full.awaitMessages(3_000);
      assertThat(full.all().subList(2, 3_002))
          .isEqualTo(IntStream.range(0, 3_000).mapToObj(String::valueOf).toList());
    }
  }

  @Test
  void shouldReportRecordsThatWereRemovedUnread() throws Exception {
    topics.create("removed", 1, "max.message.bytes=2000000");
    try (SourceScene scene = plain("removed")) {
      TopicEvents events = scene.open("removed").awaitActive();
      events.full(true);
      String large = "x".repeat(900_000); // a fetch returns few of them
      for (int i = 0; i < 100; i++) {
        topics.send("removed", 0, null, large + i).get();
      }
      topics.deleteBefore("removed", 0, 100);
      topics.publish("removed", null, "next");
      events.full(false);
      events.await("next");
      assertThat(events.all()).containsOnlyOnce("missed BROKER_LOST");
      assertThat(events.all()).endsWith("missed BROKER_LOST", "next");
    }
  }

  @Test
  void shouldBeginANewStreamWhenTheTopicIsCreatedAgain() throws Exception {
    topics.create("again", 1);
    topics.publishNumbers("again", 0, 0, 5);
    try (SourceScene scene = plain("again")) {
      TopicEvents events = scene.open("again").awaitActive();
      topics.delete("again");
      topics.create("again", 2);
      topics.publish("again", null, "first");
      events.await("first");
      assertThat(events.all()).containsExactly("stream", "active", "stream again", "first");
      StreamPlace latest = events.places().get(events.places().size() - 1);
      assertThat(latest.stream()).isNotEqualTo(events.places().get(0).stream());
      assertThat(latest.ids()).isEmpty();
    }
  }

  @Test
  void shouldReadBackExactly() throws Exception {
    topics.create("stored", 2);
    topics.publishNumbers("stored", 0, 0, 100);
    topics.publishNumbers("stored", 1, 100, 200);
    try (SourceScene scene = keyedAndPlain("stored")) {
      StreamPlace upTo = scene.open("stored").awaitActive().places().get(0);
      StreamPlace after =
          new StreamPlace(upTo.stream(), new long[] {StreamPlace.id(0, 89), StreamPlace.id(1, 95)});
      assertThat(texts(readBack(scene, after, upTo, 14)))
          .containsExactlyInAnyOrderElementsOf(
              Stream.concat(
                      IntStream.range(90, 100).mapToObj(String::valueOf),
                      IntStream.range(196, 200).mapToObj(String::valueOf))
                  .toList());
      assertThat(readBack(scene, after, upTo, 13))
          .isEqualTo("there are more than 13 messages or" + " 1000000 bytes");
      assertThat(texts(readBack(scene, upTo, upTo, 1))).isEmpty();
      topics.deleteBefore("stored", 0, 91);
      assertThat(readBack(scene, after, upTo, 14))
          .isEqualTo("the cluster has removed some of the messages");
      StreamPlace other = new StreamPlace(after.stream() + 1, after.ids());
      assertThat(readBack(scene, other, upTo, 14)).isEqualTo("the topic was created again");
    }
  }

  @Test
  void shouldHoldOnlyTheTopicWhoseSchemaIsUnavailable() throws Exception {
    topics.create("held", 1);
    topics.create("flowing", 1);
    TextSchemas schemas = new TextSchemas();
    schemas.available = false;
    try (SourceScene scene = withSchemas(schemas, "held", "flowing")) {
      TopicEvents held = scene.open("held").awaitActive();
      TopicEvents flowing = scene.open("flowing").awaitActive();
      for (String value : List.of("text", "(1)", "(2", "(3)", "{}")) {
        topics.publish("held", "k", value);
      }
      topics.publish("flowing", null, "1");
      flowing.awaitMessages(1);
      held.awaitMessages(1);
      topics.publish("flowing", null, "2");
      flowing.awaitMessages(2);
      assertThat(held.all()).containsExactly("stream", "active", "text");
      awaitWaiting(scene, "held", "its messages wait: " + RecordReader.NO_SCHEMA);
      assertThat(scene.source.waiting("flowing")).isEmpty();
      assertThat(scene.source.waiting()).isEqualTo("1 topic waits for the schema registry");
      assertThat(scene.gauge(WAITING)).isEqualTo(WAITING + " 1.0");
      schemas.available = true;
      held.awaitMessages(4);
      awaitWaiting(scene, "held", "");
      assertThat(scene.gauge(WAITING)).isEqualTo(WAITING + " 0.0");
      assertThat(held.all())
          .containsExactly("stream", "active", "text", "[1]", "missed UNSUPPORTED", "[3]", "{}");
      assertThat(held.messages())
          .extracting(Message::kind)
          .containsExactly(PayloadKind.TEXT, PayloadKind.JSON, PayloadKind.JSON, PayloadKind.TEXT);
    }
  }

  @Test
  void shouldReadStoredRecordsWhenTheirSchemaIsAvailable() throws Exception {
    topics.create("schemas", 1, "cleanup.policy=compact");
    topics.publish("schemas", "a", "(1)");
    TextSchemas schemas = new TextSchemas();
    schemas.available = false;
    try (SourceScene scene = withSchemas(schemas, "schemas")) {
      TopicEvents events = scene.open("schemas");
      Awaitility.await().until(() -> !events.places().isEmpty());
      StreamPlace upTo = events.places().get(0);
      StreamPlace after = new StreamPlace(upTo.stream(), new long[0]);
      assertThat(readBack(scene, InterestKey.of("schemas"), after, upTo, 10))
          .isEqualTo(RecordReader.NO_SCHEMA);
      assertThat(events.all()).containsExactly("stream");
      awaitWaiting(scene, "schemas", "its messages wait: " + RecordReader.NO_SCHEMA);
      schemas.available = true;
      assertThat(events.awaitActive().all()).containsExactly("stream", "[1]", "active");
      awaitWaiting(scene, "schemas", "");
      assertThat(texts(readBack(scene, InterestKey.of("schemas"), after, upTo, 10)))
          .containsExactly("[1]");
    }
  }

  private static void awaitWaiting(SourceScene scene, String topic, String expected) {
    Awaitility.await().until(() -> scene.source.waiting(topic), expected::equals);
  }

  private static SourceScene withSchemas(ValueSchemas schemas, String... names) {
    return SourceScene.start(
        SourceScene.config(server.server(), List.of(names), List.of()), schemas);
  }

  @Test
  void shouldRefuseToReadBackARangeWithARecordThatIsNotForwarded() throws Exception {
    topics.create("unreadable", 1);
    topics.publish("unreadable", "eu", "first");
    topics.publish("unreadable", "not a topic", "a");
    ProducerRecord<byte[], byte[]> filtered =
        new ProducerRecord<>("unreadable", "no topic".getBytes(UTF_8), new byte[1]);
    filtered.headers().add("kind", "other".getBytes(UTF_8));
    topics.publish(filtered);
    topics.publish("unreadable", "eu", "x".repeat(20_000));
    ProducerRecord<byte[], byte[]> large =
        new ProducerRecord<>("unreadable", "eu".getBytes(UTF_8), new byte[1]);
    large.headers().add("kind", "x".repeat(70_000).getBytes(UTF_8));
    topics.publish(large);
    topics.publish("unreadable", "us", "last");
    Config config =
        SourceScene.config(server.server(), List.of(), List.of("unreadable"))
            .with(BrokerSettings.FORWARD_PROPERTIES, List.of("kind"))
            .with(LimitSettings.BROKER_MESSAGE_BYTES, 16_384L);
    try (SourceScene scene = SourceScene.start(config)) {
      InterestKey all = InterestKey.of("unreadable.>");
      InterestKey selected = new InterestKey("unreadable.>", "kind IS NULL");
      int stream = scene.open("unreadable.>").awaitActive().places().get(0).stream();
      assertThat(readBack(scene, all, stream, 0, 1)).isEqualTo(NOT_FORWARDED + "unsupported");
      assertThat(readBack(scene, all, stream, 1, 2)).isEqualTo(NOT_FORWARDED + "unsupported");
      assertThat(texts(readBack(scene, selected, stream, 1, 2))).isEmpty();
      assertThat(readBack(scene, all, stream, 2, 3)).isEqualTo(NOT_FORWARDED + "too-large");
      assertThat(readBack(scene, all, stream, 3, 4)).isEqualTo(NOT_FORWARDED + "too-large");
      assertThat(texts(readBack(scene, all, stream, 4, 5))).containsExactly("last");
      assertThat(texts(readBack(scene, InterestKey.of("unreadable.us"), stream, 0, 5)))
          .containsExactly("last");
    }
  }

  @Test
  void shouldReportRecordsThatASnapshotLacks() throws Exception {
    topics.create("lacking", 1, "cleanup.policy=compact");
    topics.publish("lacking", "eu", "x".repeat(20_000));
    topics.publish("lacking", "us", "newest");
    topics.publish("lacking", "not a topic", "removed");
    topics.publish("lacking", "not a topic", null);
    Config config =
        SourceScene.config(server.server(), List.of(), List.of("lacking"))
            .with(LimitSettings.BROKER_MESSAGE_BYTES, 16_384L);
    try (SourceScene scene = SourceScene.start(config)) {
      assertThat(scene.open("lacking.>").awaitActive().all())
          .containsExactly("stream", "newest", "missed TOO_LARGE", "active");
      assertThat(scene.open("lacking.us").awaitActive().all())
          .containsExactly("stream", "newest", "active");
      topics.publish("lacking", "eu", "small");
      topics.publish("lacking", "not a topic", "stays");
      assertThat(scene.open("lacking.>").awaitActive().all())
          .containsExactly("stream", "newest", "small", "missed UNSUPPORTED", "active");
    }
  }

  private static Object readBack(
      SourceScene scene, InterestKey key, int stream, long after, long upTo) throws Exception {
    return readBack(scene, key, place(stream, after), place(stream, upTo), 10);
  }

  private static StreamPlace place(int stream, long offset) {
    return new StreamPlace(stream, new long[] {StreamPlace.id(0, offset)});
  }

  @Test
  void shouldReadBackAtTheConfiguredRate() throws Exception {
    topics.create("paced", 1);
    for (int i = 0; i < 10; i++) {
      topics.send("paced", 0, null, "x".repeat(10_000));
    }
    topics.publish("paced", null, "last");
    try (SourceScene scene = keyedAndPlain("paced")) {
      StreamPlace upTo = scene.open("paced").awaitActive().places().get(0);
      StreamPlace none = new StreamPlace(upTo.stream(), new long[0]);
      long beginNs = System.nanoTime();
      assertThat(texts(readBack(scene, InterestKey.of("paced"), none, upTo, 11, 200_000)))
          .hasSize(11);
      assertThat(System.nanoTime() - beginNs).isGreaterThanOrEqualTo(500_000_000);
    }
  }

  @Test
  void shouldReadBackTopicsInTurn() throws Exception {
    topics.create("busy", 1);
    topics.create("quiet", 1);
    topics.publish("busy", null, "x".repeat(40_000));
    topics.publish("quiet", null, "x");
    List<String> answers = new CopyOnWriteArrayList<>();
    try (SourceScene scene = plain("busy", "quiet")) {
      List<String> names = new ArrayList<>(Collections.nCopies(12, "busy"));
      names.add("quiet");
      for (String name : names) {
        StreamPlace upTo = scene.open(name).awaitActive().places().get(0);
        StreamPlace none = new StreamPlace(upTo.stream(), new long[0]);
        scene.source.readBack(
            new ReadBack(
                InterestKey.of(name),
                none,
                Set.of(),
                upTo,
                10,
                Long.MAX_VALUE,
                100_000,
                (read, why) -> answers.add(name)));
      }
      Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> answers.contains("quiet"));
    }
    assertThat(answers.indexOf("quiet")).as("place behind 12 reads of another topic").isLessThan(9);
  }

  private static SourceScene keyedAndPlain(String topic) {
    return SourceScene.start(server.server(), List.of(topic), List.of());
  }

  private static List<String> texts(Object messages) {
    return ((List<?>) messages)
        .stream().map(each -> new String(((Message) each).payload(), UTF_8)).toList();
  }

  private static Object readBack(SourceScene scene, StreamPlace after, StreamPlace upTo, int max)
      throws Exception {
    return readBack(scene, InterestKey.of("stored"), after, upTo, max);
  }

  private static Object readBack(
      SourceScene scene, InterestKey key, StreamPlace after, StreamPlace upTo, int max)
      throws Exception {
    return readBack(scene, key, after, upTo, max, 1 << 30);
  }

  private static Object readBack(
      SourceScene scene, InterestKey key, StreamPlace after, StreamPlace upTo, int max, long rate)
      throws Exception {
    CompletableFuture<Object> answer = new CompletableFuture<>();
    scene.source.readBack(
        new ReadBack(
            key,
            after,
            Set.of(),
            upTo,
            max,
            1_000_000,
            rate,
            (messages, reason) -> answer.complete(messages == null ? reason : messages)));
    return answer.get();
  }
}
