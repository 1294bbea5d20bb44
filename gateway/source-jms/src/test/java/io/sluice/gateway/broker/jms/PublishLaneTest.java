package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishCapacity;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.PayloadKind;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PublishLaneTest {
  private static final long LATER_NS = TimeUnit.HOURS.toNanos(1);

  private final Exposition exposition = new Exposition("lane-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final PublishLimits limits = new PublishLimits(10, 1000, 1, 1, 1000, 10, 1000);
  private final PublishCapacity capacity =
      new PublishCapacity(limits.waiting(), limits.waitingBytes(), metrics::publishesWaiting);
  private final PublishLane lane = new PublishLane(limits, capacity, System::nanoTime, metrics);

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  private void fill(String user, int bytes) {
    int reserved = 0;
    while (capacity.reserve(user, bytes)) {
      reserved++;
    }
    assertThat(reserved).isPositive();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 125})
  void shouldLeaveCapacityBesideTwoUsersThatTakeAllTheyCan(int bytes) {
    fill("greedy", bytes);
    fill("also greedy", bytes);
    assertThat(capacity.reserve("modest", bytes)).isTrue();
  }

  private PublishLane.Entry offer() {
    Publication publication = new Publication("chat", PayloadKind.BYTES, new byte[1], Map.of());
    PublishLane.Entry entry = new PublishLane.Entry(publication, 1, new PublishOutcome());
    assertThat(capacity.reserve(entry.user(), entry.size)).isTrue();
    lane.offer(entry);
    return entry;
  }

  @Test
  void shouldCountNoProgressFromTheEndOfTheLatestPublish() {
    PublishLane.Entry first = offer();
    offer();
    assertThat(lane.poll(null)).isSameAs(first);
    long beforeEndNs = System.nanoTime();
    assertThat(lane.end(first)).isTrue();
    assertThat(lane.oldestNs(beforeEndNs + LATER_NS)).isLessThanOrEqualTo(LATER_NS);
  }

  @Test
  void shouldCountNoProgressOfAnIdleSessionFromTheOffer() {
    long beforeOfferNs = System.nanoTime();
    assertThat(lane.oldestNs(beforeOfferNs)).isZero();
    offer();
    assertThat(lane.oldestNs(beforeOfferNs + LATER_NS)).isBetween(1L, LATER_NS);
    assertThat(lane.oldestNs(System.nanoTime() + LATER_NS)).isGreaterThanOrEqualTo(LATER_NS);
  }
}
