package io.sluice.gateway.broker.request;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.ReplyListener;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.metrics.ScrapeFormat;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.queue.Reply;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Test of the table of pending requests, with a stepped clock. */
final class PendingRequestsTest {
  private static final int MAX = 100;
  private static final long MS = 1_000_000;

  private final Exposition exposition = new Exposition("pending-requests-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final List<String> results = new ArrayList<>();

  /** Shortly before the clock overflows. */
  private long nowNs = Long.MAX_VALUE - 50 * MS;

  private final PendingRequests table = new PendingRequests(MAX, () -> nowNs, metrics);

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  private final class Listener implements ReplyListener {
    private final String name;
    private final Requester requester;

    Listener(String name, Requester requester) {
      this.name = name;
      this.requester = requester;
    }

    @Override
    public void onPublished() {
      results.add(name + " published");
    }

    @Override
    public void onReply(Reply reply) {
      results.add(name + " replied");
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      results.add(name + " " + code.code());
    }

    @Override
    public Requester requester() {
      return requester;
    }
  }

  private PendingRequest add(String name, long timeoutMs) {
    return add(name, timeoutMs, Requester.NODE);
  }

  private PendingRequest add(String name, long timeoutMs, Requester requester) {
    Publication publication = new Publication("quotes", PayloadKind.TEXT, new byte[] {1}, Map.of());
    return table.add(publication, timeoutMs, new Listener(name, requester));
  }

  private void stepMs(long ms) {
    nowNs += ms * MS;
    table.expire();
  }

  private double metric(String name) {
    return new String(exposition.scrape(ScrapeFormat.PROMETHEUS), UTF_8)
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void shouldLeaveRoomForOtherUsers() {
    Requester greedy = new Requester("gw-1-1-1", "jwt ann", 1);
    Requester modest = new Requester("gw-1-1-2", "jwt bob", 2);
    int pending = 0;
    while (add("ann", 100, greedy) != null) {
      pending++;
    }
    assertThat(pending).isEqualTo(MAX / 2);
    assertThat(add("bob", 100, modest)).isNotNull();
    stepMs(101);
    assertThat(add("ann", 100, greedy)).as("after their end").isNotNull();
  }

  // A responder of one request must not be able to answer others.
  @Test
  void shouldGiveEachRequestARandomCorrelationId() {
    int differing = 0;
    BigInteger last = BigInteger.ZERO;
    for (int i = 0; i < MAX; i++) {
      PendingRequest request = add("a", 100);
      assertThat(request.correlationId).matches("sluice-[0-9a-f]{32}");
      assertThat(table.get(request.correlationId)).isSameAs(request);
      BigInteger next = new BigInteger(request.correlationId.substring(7), 16);
      differing += next.xor(last).bitCount();
      last = next;
    }
    assertThat(differing / MAX).as("bits by which neighbours differ").isBetween(56, 72);
    assertThat(table.get(null)).isNull();
    assertThat(table.get("sluice-" + "0".repeat(32))).isNull();
  }

  @Test
  void shouldExpireRequestsInTheOrderOfTheirDeadlines() {
    add("late", 300);
    add("early", 100);
    add("middle", 200);
    stepMs(99);
    assertThat(results).isEmpty();
    stepMs(1);
    assertThat(results).containsExactly("early timeout");
    stepMs(500);
    assertThat(results).containsExactly("early timeout", "middle timeout", "late timeout");
    assertThat(table.isEmpty()).isTrue();
  }

  @Test
  void shouldEndEachRequestOnce() {
    PendingRequest replied = add("a", 100);
    PendingRequest refused = add("b", 100);
    PendingRequest cancelled = add("c", 100);
    assertThat(table.end(replied, PendingRequests.REPLIED)).isTrue();
    assertThat(table.end(replied, PendingRequests.REPLIED)).isFalse();
    refused.onRefused(ErrorCode.PUBLISH_FAILED, "");
    refused.onRefused(ErrorCode.NO_REPLY, "");
    cancelled.cancel();
    cancelled.onRefused(ErrorCode.NO_REPLY, "");
    stepMs(100);
    assertThat(results).containsExactly("b publish-failed");
    assertThat(table.get(replied.correlationId)).isNull();
    assertThat(metric("sluice_requests_pending")).isZero();
  }

  @Test
  void shouldRefuseRequestsAboveTheMaximum() {
    for (int i = 0; i < MAX; i++) {
      assertThat(add("a", 100)).isNotNull();
    }
    assertThat(add("b", 100)).isNull();
    assertThat(metric("sluice_requests_pending")).isEqualTo(MAX);
    table.all().get(0).cancel();
    assertThat(add("c", 100)).isNotNull();
    assertThat(add("d", 100)).isNull();
  }

  @Test
  void shouldReleaseTheMessageOfAnEndedRequest() {
    PendingRequest request = add("a", 100);
    request.cancel();
    assertThat(request.takePublication()).isNull();
  }

  @Test
  void shouldReportThePublishOfAnEndedRequestForTheAuditLog() {
    PendingRequest request = add("a", 100);
    request.cancel();
    request.onPublished();
    assertThat(results).containsExactly("a published");
  }

  @Test
  void shouldRestrictTheTimeToLiveToTheRestOfTheTime() {
    PendingRequest request = add("a", 100);
    stepMs(30);
    assertThat(table.remainingMs(request)).isEqualTo(70);
    nowNs += 200 * MS;
    assertThat(table.remainingMs(request)).isEqualTo(1);
  }

  @Test
  void shouldAgreeWithASimpleModel() {
    SplittableRandom random = new SplittableRandom(23);
    List<PendingRequest> model = new ArrayList<>();
    int expired = 0;
    for (int i = 0; i < 20_000; i++) {
      switch (random.nextInt(3)) {
        case 0 -> {
          PendingRequest added = add("r", random.nextInt(1, 200));
          assertThat(added == null).as("seed 23, step %d", i).isEqualTo(model.size() >= MAX);
          if (added != null) {
            model.add(added);
          }
        }
        case 1 -> {
          if (!model.isEmpty()) {
            PendingRequest ended = model.remove(random.nextInt(model.size()));
            assertThat(table.end(ended, PendingRequests.REPLIED)).isTrue();
          }
        }
        default -> {
          stepMs(random.nextInt(3));
          int before = model.size();
          model.removeIf(request -> request.deadlineNs - nowNs <= 0);
          expired += before - model.size();
        }
      }
      assertThat(table.all()).as("seed 23, step %d", i).hasSameSizeAs(model);
    }
    assertThat(results).hasSize(expired).containsOnly("r timeout");
  }
}
