package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.hub.CountingClient.Work;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.shard.HubShard;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests the maximum work of a loop before a client's next message. One turn is one task of the
 * loop. A shard yields to other shards between two turns.
 */
final class FairnessTest {
  /** Most clients that a shard visits in one turn of its loop. */
  private static final int VISITS_A_TURN = 8192;

  /** Events of one turn at most. */
  private static final int MOST_EVENTS = 1024;

  /** Many more than one turn takes. */
  private static final int BACKLOG = 100_000;

  private static final int QUEUE_LIMIT = 2 * BACKLOG;

  private final HubFixture fixture =
      new HubFixture(
          1,
          Config.defaults()
              .with(LimitSettings.TOPICS, QUEUE_LIMIT)
              .with(LimitSettings.INGRESS_QUEUE, QUEUE_LIMIT),
          QUEUE_LIMIT);
  private final HubShard shard = fixture.shards.get(0);
  private final ManualExecutor loop = fixture.loops.get(0);
  private final Work work = new Work();

  FairnessTest() {
    fixture.broker.connect();
  }

  @AfterEach
  void close() {
    fixture.settle();
    fixture.assertNothingLeaked();
    fixture.close();
  }

  private CountingClient client(String... topics) {
    CountingClient client = new CountingClient(shard, work);
    for (String topic : topics) {
      client.subscribe(topic);
    }
    return client;
  }

  private void publish(String topic, int count) {
    for (int i = 0; i < count; i++) {
      fixture.broker.publish(topic);
    }
  }

  @Test
  void shouldServeOthersAfterOneBatchOfBusyTopic() {
    CountingClient client = client("greedy");
    fixture.settle();
    publish("greedy", BACKLOG);
    AtomicInteger turns = new AtomicInteger();
    int expected = 0;
    while (client.messages < BACKLOG) {
      loop.execute(turns::incrementAndGet);
      long before = work.deliveries;
      loop.runOne(); // the shard's
      loop.runOne();
      assertThat(turns.get()).as("turns of another task").isEqualTo(++expected);
      assertThat(work.deliveries - before).as("of one turn").isLessThanOrEqualTo(MOST_EVENTS);
    }
  }

  /** Most small messages of one topic in the queue of a loop; others wait to be encoded. */
  private static final int WINDOW = 1024;

  @Test
  void shouldDeliverQuietTopicAfterWindowOfBusyTopic() {
    CountingClient greedy = client("greedy");
    CountingClient quiet = client("quiet");
    fixture.settle();
    long before = work.deliveries;
    publish("greedy", BACKLOG);
    publish("quiet", 1);
    publish("greedy", BACKLOG / 2);
    int turns = 0;
    while (quiet.messages == 0) {
      loop.runOne();
      turns++;
    }

    assertThat(quiet.lastMessageAt - before).as("deliveries").isLessThanOrEqualTo(WINDOW);
    assertThat(turns).isEqualTo(1);
    assertThat(quiet.flushes).as("it waits for no later turn to be flushed").isEqualTo(2);
    loop.runAll();
    assertThat(greedy.messages).isEqualTo(BACKLOG + BACKLOG / 2);
  }

  @Test
  void shouldFlushClientOfManySubscriptionsOncePerBatch() {
    int topics = 3_000;
    CountingClient wide = client();
    for (int i = 0; i < topics; i++) {
      wide.subscribe("wide." + i);
    }
    CountingClient other = client("other");
    fixture.settle();
    long before = work.deliveries;
    long flushesBefore = wide.flushes;
    for (int i = 0; i < topics; i++) {
      publish("wide." + i, 1);
      if (i == topics / 2) {
        publish("other", 1);
      }
    }
    int turns = 0;
    while (wide.messages < topics) {
      loop.runOne();
      turns++;
    }

    assertThat(other.lastMessageAt - before).as("deliveries").isEqualTo(topics / 2 + 2);
    assertThat(wide.flushes - flushesBefore).isEqualTo(turns);
    assertThat(turns).isLessThanOrEqualTo(topics / MOST_EVENTS + 1);
  }

  @Test
  void shouldEndBatchAtMaxVisits() {
    int clients = 1_000;
    int topics = 3 * VISITS_A_TURN / clients;
    for (int i = 0; i < clients; i++) {
      CountingClient wide = client();
      for (int topic = 0; topic < topics; topic++) {
        wide.subscribe("wide." + topic);
      }
    }
    fixture.settle();
    for (int topic = 0; topic < topics; topic++) {
      publish("wide." + topic, 1);
    }
    long end = work.deliveries + (long) clients * topics;
    while (work.deliveries < end) {
      long before = work.visits;
      loop.runOne();
      assertThat(work.visits - before)
          .as("visits of one turn, which ends behind the message that is one too many")
          .isLessThan(VISITS_A_TURN + clients);
    }
  }

  @Test
  void shouldNotifyManyClientsInSeveralBatches() {
    int clients = 3 * VISITS_A_TURN;
    List<RecordingClient> all = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      RecordingClient client = new RecordingClient(shard, Encoding.BINARY);
      client.subscribe("wide.*");
      all.add(client);
    }
    loop.runAll();
    fixture.control.runAll();
    fixture.broker.connect();
    assertThat(turns()).as("turns in which they are answered").isGreaterThan(2);
    fixture.hub.source(0).onLive();
    fixture.control.runAll();
    assertThat(turns()).as("turns of live").isGreaterThan(2);
    publish("wide.1", 1);
    assertThat(turns()).as("turns of a new topic and its message").isGreaterThan(2);
    fixture.broker.publishTooLarge("wide.1");
    publish("wide.1", 1);
    loop.runOne();
    for (int i = 0; i < clients; i += 2) { // between two turns of the gap
      all.get(i).leave();
    }
    RecordingClient late = new RecordingClient(shard, Encoding.BINARY);
    late.subscribe("wide.*");
    loop.runAll();
    for (int i = 1; i < clients; i += 2) {
      assertThat(all.get(i).events.stream().filter(event -> !event.equals("flush")))
          .endsWith("wide.1=1@1", "gap wide.* too-large", "wide.1=3@3");
    }
    assertThat(late.events).doesNotContain("gap wide.* too-large").contains("wide.1=3@3");
  }

  private int turns() {
    int turns = 0;
    while (loop.runOne()) {
      turns++;
    }
    return turns;
  }
}
