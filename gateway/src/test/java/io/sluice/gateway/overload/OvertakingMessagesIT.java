package io.sluice.gateway.overload;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.TestScope;
import io.sluice.gateway.clients.MessageListener;
import io.sluice.gateway.clients.ResumingClient;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.SlowLink;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A client receives a message that has overtaken the backlog of its node's link, and moves with it
 * to another node: it receives the backlog there, or learns that messages are missing.
 */
@Timeout(300)
final class OvertakingMessagesIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final Duration MARGIN = Duration.ofMillis(500);
  private static final String TOPIC = "overtaking";
  private static final String URGENT = "urgent";
  private static final String LAST = "last";
  private static final int BACKLOG = 117;

  /** The backlog is larger than the window of a consumer and the buffers of the link. */
  private static final String FILLER = " ".repeat(20_000);

  /** The window of a consumer is smaller than the backlog. */
  private static final String ARTEMIS_OPTIONS = "?consumerWindowSize=300000";

  private static final String CLASSIC_OPTIONS = "?jms.prefetchPolicy.topicPrefetch=10";

  private static final int STALLED_BYTES_PER_SECOND = 2_000;
  private static final int SLOW_BYTES_PER_SECOND = 400_000;
  private static final long DELAY_MS = 1_000;

  private static Config config(TestBroker broker, String url) {
    boolean artemis = broker.provider().equals("artemis");
    return TestNode.config(broker.provider(), url + (artemis ? ARTEMIS_OPTIONS : CLASSIC_OPTIONS))
        .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(100))
        .with(BrokerSettings.CANARY_TIMEOUT, TIMEOUT)
        .with(TimeoutSettings.PING, Duration.ofMillis(100))
        .with(LimitSettings.PENDING_BYTES, 256L << 20)
        .with(HistorySettings.BYTES, 64L << 20)
        .with(HistorySettings.RESUME_MARGIN, MARGIN)
        .with(HistorySettings.RESUME_SPREAD, Duration.ofMillis(100));
  }

  private static void send(TestPublisher publisher, String payload, int priority, long delayMs)
      throws JMSException {
    Message message = publisher.session().createTextMessage(payload + FILLER);
    publisher.send(TOPIC, message, priority, delayMs);
  }

  /** Client that follows docs/PROTOCOL.md, section 8, and stores what the application receives. */
  private static final class Client implements MessageListener {
    final Set<String> received = new LinkedHashSet<>();
    private final ResumingClient client = new ResumingClient(TOPIC, this);
    private JsonNode answer;
    private int repeated;
    private boolean notified;

    void enter(TestNode node, int ids) {
      answer = client.enter(node, ids);
    }

    void close() {
      client.close();
    }

    boolean isRecovered() {
      return answer.path("recovered").asBoolean();
    }

    void readUntil(Predicate<JsonNode> last) {
      JsonNode frame;
      do {
        frame = client.read();
      } while (!last.test(frame));
    }

    void awaitCaughtUp(long timeMs) {
      readUntil(
          frame ->
              frame.get("type").asText().equals("caught-up")
                  && frame.get("time").asLong() >= timeMs);
    }

    void awaitPayload(String payload) {
      if (!received.contains(payload)) {
        readUntil(frame -> isPayload(frame, payload));
      }
    }

    @Override
    public void onMessage(JsonNode message) {
      repeated += received.add(payload(message)) ? 0 : 1;
    }

    @Override
    public void onGap(String reason) {
      notified = true;
    }
  }

  private static String payload(JsonNode message) {
    return message.path("payload").asText().strip();
  }

  private static boolean isPayload(JsonNode frame, String payload) {
    return frame.get("type").asText().equals("message") && payload(frame).equals(payload);
  }

  private static List<String> backlog() {
    return IntStream.range(0, BACKLOG).mapToObj(String::valueOf).toList();
  }

  static Stream<Arguments> backlogs() {
    return TestScope.cases(
        2,
        Arguments.of("artemis", 4, 9, false, 8),
        Arguments.of("artemis", 4, 4, true, 1),
        Arguments.of("artemis", 4, 9, false, 1),
        Arguments.of("artemis", 0, 4, false, 8),
        Arguments.of("artemis", 0, 4, false, 1),
        Arguments.of("artemis", 4, 4, true, 8),
        Arguments.of("classic", 4, 9, false, 1),
        Arguments.of("classic", 0, 4, false, 1));
  }

  @Tag("full")
  @ParameterizedTest
  @MethodSource("backlogs")
  void shouldNotLoseTheBacklogWithoutNotice(
      String provider, int priority, int urgent, boolean scheduled, int ids) throws Exception {
    Client client = new Client();
    Client holder = new Client();
    try (TestBroker broker = TestBroker.start(provider);
        SlowLink link = new SlowLink(broker.url());
        TestNode slow = TestNode.start(config(broker, link.url()));
        TestNode other = TestNode.start(config(broker, broker.url()));
        TestPublisher publisher = new TestPublisher(provider, broker.url()).persistent()) {
      holder.enter(other, ids);
      client.enter(slow, ids);
      // Later messages are after the start of the position, by more than all tolerances.
      long startMs = client.answer.get("time").asLong();
      client.awaitCaughtUp(startMs + 4 * MARGIN.toMillis());

      link.bytesPerSecond(STALLED_BYTES_PER_SECOND);
      for (String number : backlog()) {
        send(publisher, number, priority, 0);
      }
      send(publisher, URGENT, urgent, scheduled ? DELAY_MS : 0);
      backlog().forEach(holder::awaitPayload);
      holder.awaitPayload(URGENT);
      link.bytesPerSecond(SLOW_BYTES_PER_SECOND);
      client.awaitPayload(URGENT);
      Set<String> before = new LinkedHashSet<>(client.received);
      client.close();
      client.enter(other, ids);
      send(publisher, LAST, priority, 0);
      client.awaitPayload(LAST);

      if (provider.equals("artemis")) { // Classic keeps the order
        assertThat(before.size()).as("the urgent one overtook others").isLessThan(BACKLOG);
      }
      assertThat(client.notified).isEqualTo(!client.isRecovered());
      if (client.isRecovered()) {
        List<String> missing = new ArrayList<>(backlog());
        missing.removeAll(client.received);
        assertThat(missing).as("missing under recovered:true").isEmpty();
        assertThat(client.repeated).as("messages twice").isZero();
      }
    } finally {
      client.close();
      holder.close();
    }
  }
}
