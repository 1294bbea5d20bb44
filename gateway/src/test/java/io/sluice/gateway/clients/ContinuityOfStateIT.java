package io.sluice.gateway.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.client.Gap;
import io.sluice.client.Message;
import io.sluice.client.Position;
import io.sluice.client.SluiceClient;
import io.sluice.client.SubscribeOptions;
import io.sluice.client.Subscription;
import io.sluice.client.SubscriptionListener;
import io.sluice.client.SubscriptionState;
import io.sluice.gateway.EachBroker;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.HalfOpenLink;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** State that sluice-client derives from a snapshot and deltas, with real nodes and brokers. */
@Timeout(240)
final class ContinuityOfStateIT {
  private static final String TOPIC = "counter";
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final Duration MARGIN = Duration.ofMillis(100);
  private static final String VALUE = "value 1";
  private static final String LOST = "add 5";
  private static final String LIVE = "add 7";

  /** Rate whose interval is longer than any test. */
  private static final double SLOWEST = 0.001;

  private static TestNode node(TestBroker broker, String url) {
    TestNode node =
        TestNode.start(
            TestNode.config(broker.provider(), url)
                .with(BrokerSettings.LINGER, Duration.ofMinutes(5))
                .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(50))
                .with(
                    TimeoutSettings.PING, Duration.ofMillis(100)) // also the interval of caught-up
                .with(HistorySettings.RESUME_MARGIN, MARGIN));
    node.awaitReady();
    return node;
  }

  /** Application of one subscription. */
  private static final class Application implements SubscriptionListener, AutoCloseable {
    private final List<String> entries = new CopyOnWriteArrayList<>();
    private final SluiceClient client;
    private final Subscription subscription;

    Application(TestNode node, SubscribeOptions options) {
      client = SluiceClient.builder(ExampleClientScenes.url(node)).build();
      subscription = client.subscribe(TOPIC, options, this);
      await().atMost(LONG).until(() -> subscription.state() == SubscriptionState.LIVE);
    }

    @Override
    public void onMessage(Message message) {
      entries.add(message.text());
    }

    @Override
    public void onGap(Gap gap) {
      entries.add("gap " + gap.reason());
    }

    void awaitEntry(String entry) {
      await().atMost(LONG).untilAsserted(() -> assertThat(entries).contains(entry));
    }

    @Override
    public void close() {
      client.close();
    }
  }

  private static void awaitCaughtUp(RawWebSocket client, long timeMs) {
    while (client.await("caught-up").get("time").asLong() < timeMs) {
      // an earlier proof
    }
  }

  /** Loses a delta while the node's link to the broker is cut. */
  private static void loseDelta(HalfOpenLink link, RawWebSocket holder, TestPublisher publisher)
      throws Exception {
    link.cut();
    holder.await("stale");
    publisher.text(TOPIC, LOST);
    link.mend();
    holder.await("gap");
    holder.await("live");
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldReportALossAfterASnapshot(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        HalfOpenLink link = new HalfOpenLink(broker.url());
        TestPublisher publisher = new TestPublisher(provider, broker.url());
        TestNode node = node(broker, link.url());
        RawWebSocket holder = node.json()) {
      holder.subscribe(1, TOPIC);
      publisher.text(TOPIC, VALUE);
      holder.await("message");
      loseDelta(link, holder, publisher);
      try (Application application =
          new Application(node, SubscribeOptions.DEFAULT.fromSnapshot())) {
        publisher.text(TOPIC, LIVE);
        application.awaitEntry(LIVE);
        assertThat(application.entries).containsExactly(VALUE, "gap broker-lost", LIVE);
      }
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldReportALossAfterTheSnapshotOfAFailedResume(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        HalfOpenLink link = new HalfOpenLink(broker.url());
        TestPublisher publisher = new TestPublisher(provider, broker.url());
        TestNode node = node(broker, link.url());
        TestNode other = node(broker, broker.url());
        RawWebSocket holder = node.json();
        Application before = new Application(other, SubscribeOptions.DEFAULT)) {
      holder.subscribe(1, TOPIC);
      publisher.text(TOPIC, VALUE);
      holder.await("message");
      before.awaitEntry(VALUE);
      Position position = before.subscription.position();
      loseDelta(link, holder, publisher);
      try (Application application =
          new Application(node, SubscribeOptions.DEFAULT.from(position))) {
        publisher.text(TOPIC, LIVE);
        application.awaitEntry(LIVE);
        assertThat(application.entries)
            .containsExactly("gap not-recovered", VALUE, "gap broker-lost", LIVE);
      }
    }
  }

  /** State of each topic since the application began anew. */
  private static final class States implements MessageListener {
    private final Map<String, String> states = new TreeMap<>();

    @Override
    public void onMessage(JsonNode message) {
      states.put(message.get("topic").asText(), message.get("payload").asText());
    }

    @Override
    public void onGap(String reason) {
      states.clear();
    }

    void await(ResumingClient client, String topic, String state) {
      while (!state.equals(states.get(topic))) {
        client.read();
      }
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldHaveQuietTopicsAfterALossBeforeTheSnapshotOfAFailedResume(String provider)
      throws Exception {
    States application = new States();
    try (TestBroker broker = TestBroker.start(provider);
        TestPublisher publisher = new TestPublisher(provider, broker.url());
        TestNode node = node(broker, broker.url());
        TestNode other = node(broker, broker.url());
        RawWebSocket holder = node.json();
        RawWebSocket otherHolder = other.json();
        ResumingClient client = new ResumingClient("counter.>", application)) {
      holder.subscribe(1, "counter.>");
      client.enter(node, ResumingClient.ALL_IDS);
      publisher.text("counter.quiet", VALUE);
      publisher.text("counter.busy", VALUE);
      application.await(client, "counter.busy", VALUE);
      otherHolder.subscribe(1, "counter.>");
      publisher.text("counter.busy", LIVE);
      otherHolder.await("message");
      JsonNode failed = client.enter(other, ResumingClient.ALL_IDS);
      assertThat(failed.get("recovered").asBoolean()).isFalse();
      assertThat(failed.get("replay").asInt()).isEqualTo(1);
      client.enter(node, ResumingClient.ALL_IDS);
      application.await(client, "counter.busy", LIVE);
      assertThat(application.states)
          .containsExactly(entry("counter.busy", LIVE), entry("counter.quiet", VALUE));
    }
  }

  @Tag("full")
  @ParameterizedTest
  @CsvSource({
    "artemis, all, true",
    "artemis, all, false",
    "artemis, latest, true",
    "classic, all, true",
    "classic, rate, false"
  })
  void shouldDeliverAHeldMessageAfterAChangeOfDelivery(
      String provider, String delivery, boolean elsewhere) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestPublisher publisher = new TestPublisher(provider, broker.url());
        TestNode node = node(broker, broker.url());
        TestNode other = node(broker, broker.url());
        RawWebSocket holder = node.json();
        RawWebSocket elsewhereHolder = other.json();
        Application before = new Application(node, SubscribeOptions.DEFAULT.rate(SLOWEST))) {
      holder.subscribe(1, TOPIC);
      elsewhereHolder.subscribe(1, TOPIC);
      awaitCaughtUp(elsewhereHolder, System.currentTimeMillis() + 4 * MARGIN.toMillis());
      publisher.text(TOPIC, "delivered");
      before.awaitEntry("delivered");
      publisher.text(TOPIC, "held");
      holder.await("message");
      long heldMs = holder.await("message").get("time").asLong();
      // A position that covered the held message would now be recovered without it.
      awaitCaughtUp(elsewhereHolder, heldMs + 4 * MARGIN.toMillis());
      awaitCaughtUp(holder, heldMs + 4 * MARGIN.toMillis());
      SubscribeOptions options = SubscribeOptions.DEFAULT.from(before.subscription.position());
      try (Application application =
          new Application(
              elsewhere ? other : node,
              switch (delivery) {
                case "latest" -> options.latest();
                case "rate" -> options.rate(1);
                default -> options;
              })) {
        application.awaitEntry("held");
        assertThat(before.entries).containsExactly("delivered");
      }
    }
  }
}
