package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.testkit.TestBroker;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** SDK clients with the URLs of two sites, each with a broker and two nodes; one site fails. */
@Tag("full")
@Timeout(400)
final class SiteSwitchIT {
  private static final List<String> TOPICS = List.of("sites.0", "sites.1");
  private static final int CLIENTS = 30;

  /** Clients per second, of all nodes of a site together. */
  private static final int DRAIN_RATE = 10;

  /** Time from the first command until the last client has connected, at that rate. */
  private static final Duration LEAST_DRAIN = Duration.ofSeconds(CLIENTS / DRAIN_RATE);

  /**
   * Time in addition to the margin for which clients stay, so other nodes trust their positions.
   */
  private static final long EXTRA_TIME_MS = 1_000;

  @Test
  void shouldReportPossibleLossOnTheOtherSiteWhenASiteIsLost() throws Exception {
    switchSites(false);
  }

  @Tag("full")
  @Test
  void shouldReportPossibleLossOnTheOtherSiteWhenASiteDrains() throws Exception {
    switchSites(true);
  }

  private void switchSites(boolean drained) throws Exception {
    Consumer<SiteNodes> end = drained ? SiteNodes::drain : SiteNodes::end;
    try (TestBroker inParis = TestBroker.start("artemis");
        TestBroker inOslo = TestBroker.start("artemis");
        SiteNodes paris = new SiteNodes("paris", inParis, DRAIN_RATE);
        SiteNodes oslo = new SiteNodes("oslo", inOslo, DRAIN_RATE)) {
      paris.start();
      oslo.start();
      paris.awaitUp();
      oslo.awaitUp();
      try (Readers some = readers(paris, oslo, 0);
          Readers others = readers(paris, oslo, 1)) {
        List<Readers> all = List.of(some, others);
        awaitAll(all, paris, 0);
        assertThat(paris.connections()).containsExactly(CLIENTS / 2, CLIENTS / 2);
        long published = publish(inParis, all, 0);

        long beganNs = System.nanoTime();
        end.accept(paris);
        awaitAll(all, oslo, 1);
        requirePace(drained, beganNs);
        paris.end();
        published = publish(inOslo, all, published);

        paris.start();
        paris.awaitUp();
        beganNs = System.nanoTime();
        end.accept(oslo);
        awaitAll(all, paris, 2);
        requirePace(drained, beganNs);
        publish(inParis, all, published);
      }
    }
  }

  /** Half of the clients, which have the URLs of all nodes and connect to their site first. */
  private static Readers readers(SiteNodes near, SiteNodes far, int first) throws IOException {
    String addresses = near.addresses(first) + "," + far.addresses(first);
    return new Readers(addresses, CLIENTS / 2, TOPICS);
  }

  private static void requirePace(boolean drained, long beganNs) {
    if (drained) {
      assertThat(Duration.ofNanos(System.nanoTime() - beganNs))
          .as("all clients went at drain.rate")
          .isGreaterThanOrEqualTo(LEAST_DRAIN);
    }
  }

  /** Waits until all are connected to a site, and each subscription has received this many gaps. */
  private static void awaitAll(List<Readers> all, SiteNodes site, int gaps) {
    for (Readers readers : all) {
      JsonNode report =
          readers.await(
              "all clients are connected to the site",
              r ->
                  readers.areThere(r)
                      && site.connections().stream().mapToInt(Integer::intValue).sum() == CLIENTS
                      && r.get("leastGaps").asInt() >= gaps);
      assertThat(report.get("gaps").path("not-recovered").asInt())
          .as("gaps of %s subscriptions", report.get("subscriptions"))
          .isEqualTo(gaps * report.get("subscriptions").asInt());
    }
  }

  /**
   * Publishes more messages than before, so the numbers of the sites differ. Afterwards all clients
   * have received them, and could resume at another node of the site without a gap.
   */
  private static long publish(TestBroker broker, List<Readers> all, long before) throws Exception {
    try (Numbers numbers =
        new Numbers(broker.provider(), broker.url(), TOPICS, Duration.ofMillis(10))) {
      List<Long> more = List.of(before + 1, before + 1);
      all.forEach(one -> one.await("more than before", r -> Readers.haveAll(r, more)));
      List<Long> last = numbers.stop();
      all.forEach(
          one -> one.await("all have the last", r -> Readers.haveAll(r, last) && isTrusted(r)));
      return last.get(0);
    }
  }

  private static boolean isTrusted(JsonNode report) {
    return report.get("caughtUpMs").asLong() > 2 * SiteNodes.MARGIN_MS + EXTRA_TIME_MS;
  }
}
