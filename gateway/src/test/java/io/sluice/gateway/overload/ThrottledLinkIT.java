package io.sluice.gateway.overload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.SlowLink;
import io.sluice.testkit.TestBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Clients of a node whose broker link is slower than their topic. They change nodes because of a
 * cut connection or because their node drains.
 */
@Tag("full")
@Timeout(300)
final class ThrottledLinkIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final int LINK_BYTES_PER_SECOND = 100_000;
  private static final double OVERLOAD = 1.75;
  private static final int MESSAGE_BYTES = 2_000;
  private static final Duration INTERVAL =
      Duration.ofNanos((long) (1e9 * MESSAGE_BYTES / (LINK_BYTES_PER_SECOND * OVERLOAD)));

  private static final Duration MARGIN = Duration.ofMillis(500);

  /**
   * More than the raised history holds, so no identity that clients have remembered is in a log.
   */
  private static final Duration LAG = Duration.ofSeconds(5);

  private static final int NORMAL_MESSAGES = 250;
  private static final int RAISED_MESSAGES = 330;
  private static final int AMPLE_MESSAGES = 100_000;
  private static final long AMPLE_BYTES = 64L << 20;

  private static final String BUSY = "throttled.busy";
  private static final List<String> QUIET =
      List.of("throttled.quiet.0", "throttled.quiet.1", "throttled.quiet.2");
  private static final Duration QUIET_INTERVAL = Duration.ofMillis(300);

  private static Config config(String provider, String url) {
    return TestNode.config(provider, url)
        .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(100))
        .with(BrokerSettings.CANARY_TIMEOUT, Duration.ofMinutes(2))
        .with(TimeoutSettings.PING, Duration.ofMillis(100))
        .with(TimeoutSettings.DRAIN, Duration.ofMinutes(1))
        .with(HistorySettings.MESSAGES, NORMAL_MESSAGES)
        .with(HistorySettings.RESUME_MARGIN, MARGIN)
        .with(HistorySettings.RESUME_SPREAD, Duration.ofMillis(100));
  }

  private static Config history(Config config, int messages) {
    return config.with(HistorySettings.MESSAGES, messages).with(HistorySettings.BYTES, AMPLE_BYTES);
  }

  // A prefetch of Classic that is exhausted, like the default of 32,767 messages after a longer
  // time.
  @ParameterizedTest
  @CsvSource({"artemis,''", "classic,?jms.prefetchPolicy.topicPrefetch=100"})
  void shouldReportMissedMessagesToClientsThatLeaveLaggingNode(String provider, String options)
      throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        SlowLink link = new SlowLink(broker.url());
        TestNode slow = TestNode.start(config(provider, link.url() + options));
        TestNode normal = TestNode.start(config(provider, broker.url() + options));
        TestNode raised =
            TestNode.start(history(config(provider, broker.url() + options), RAISED_MESSAGES));
        TestNode ample =
            TestNode.start(history(config(provider, broker.url() + options), AMPLE_MESSAGES))) {
      List<TestNode> others = List.of(normal, raised, ample);
      List<MovingClient> clients = new ArrayList<>();
      try (NumberedPublisher busy =
              new NumberedPublisher(
                  provider, broker.url(), List.of(BUSY), INTERVAL, MESSAGE_BYTES);
          NumberedPublisher quiet =
              new NumberedPublisher(provider, broker.url(), QUIET, QUIET_INTERVAL, 50)) {
        List<MovingClient> holders = holders(clients, others);
        List<MovingClient> cut = leavers(clients, slow, others);
        List<MovingClient> drained = leavers(clients, slow, others);
        link.bytesPerSecond(LINK_BYTES_PER_SECOND);
        awaitThat(clients, "the busy topic lags", () -> lagMs(cut) > LAG.toMillis());
        report("before the cut", cut);
        cut.forEach(MovingClient::cut);
        awaitThat(clients, "moved by cut", () -> cut.stream().allMatch(MovingClient::hasMoved));
        report("before the drain", drained);
        CompletableFuture<Void> stopped =
            CompletableFuture.runAsync(() -> slow.gateway().drainAndStop());
        awaitThat(
            clients, "moved by drain", () -> drained.stream().allMatch(MovingClient::hasMoved));
        stopped.get(2, TimeUnit.MINUTES);
        busy.stop();
        quiet.stop();
        awaitThat(clients, "all have the last", () -> haveLast(clients, busy, quiet));
        assertSafe(clients);
        assertThat(holders).as("on nodes that do not lag").allMatch(c -> c.gaps() == 0);
      } finally {
        clients.forEach(MovingClient::close);
      }
    }
  }

  /** Creates clients on the other nodes, which therefore have logs of all topics. */
  private static List<MovingClient> holders(List<MovingClient> all, List<TestNode> nodes) {
    List<MovingClient> holders = new ArrayList<>();
    for (TestNode node : nodes) {
      holders.add(new MovingClient(BUSY, node, node));
      QUIET.forEach(topic -> holders.add(new MovingClient(topic, node, node)));
    }
    all.addAll(holders);
    return holders;
  }

  /**
   * Creates clients on the slow node: two of the busy topic, and some quiet ones for each other
   * node.
   */
  private static List<MovingClient> leavers(
      List<MovingClient> all, TestNode slow, List<TestNode> others) {
    List<MovingClient> leavers = new ArrayList<>();
    for (TestNode other : others) {
      leavers.add(new MovingClient(BUSY, slow, other));
      leavers.add(new MovingClient(BUSY, slow, other));
      QUIET.forEach(topic -> leavers.add(new MovingClient(topic, slow, other)));
    }
    all.addAll(leavers);
    return leavers;
  }

  private static long lagMs(List<MovingClient> clients) {
    return clients.stream()
        .filter(client -> client.topic().equals(BUSY))
        .mapToLong(MovingClient::lagMs)
        .min()
        .orElseThrow();
  }

  private static void awaitThat(List<MovingClient> all, String what, BooleanSupplier condition) {
    await(what)
        .atMost(TIMEOUT)
        .pollInterval(Duration.ofMillis(50))
        .until(
            () -> {
              all.forEach(MovingClient::check);
              return condition.getAsBoolean();
            });
  }

  private static boolean haveLast(
      List<MovingClient> clients, NumberedPublisher busy, NumberedPublisher quiet) {
    return clients.stream()
        .allMatch(c -> c.last() == (c.topic().equals(BUSY) ? busy : quiet).last(c.topic()));
  }

  private static void report(String when, List<MovingClient> clients) {
    long lag = lagMs(clients);
    long overtaken =
        clients.stream()
            .filter(client -> client.topic().equals(BUSY))
            .mapToLong(MovingClient::overtakenMs)
            .max()
            .orElseThrow();
    System.out.printf(
        "%s: busy topic lags %d ms; its clients' caught-up is %d ms after their latest message%n",
        when, lag, overtaken);
  }

  private static void assertSafe(List<MovingClient> clients) {
    List<String> losses =
        clients.stream()
            .filter(c -> c.lost() > 0 || c.duplicates() > 0)
            .map(
                c ->
                    "%s: %d lost without a report, %d twice; recovered %d, not recovered %d"
                        .formatted(
                            c.topic(), c.lost(), c.duplicates(), c.recovered(), c.notRecovered()))
            .toList();
    List<MovingClient> quiet =
        clients.stream().filter(c -> !c.topic().equals(BUSY) && c.hasMoved()).toList();
    System.out.printf(
        "recovered: %d of %d quiet clients, %d of %d busy ones%n",
        quiet.stream().mapToInt(MovingClient::recovered).sum(),
        quiet.size(),
        clients.stream()
            .filter(c -> c.topic().equals(BUSY))
            .mapToInt(MovingClient::recovered)
            .sum(),
        clients.stream().filter(c -> c.topic().equals(BUSY) && c.hasMoved()).count());
    assertThat(losses).as("unreported losses and duplicates").isEmpty();
  }
}
