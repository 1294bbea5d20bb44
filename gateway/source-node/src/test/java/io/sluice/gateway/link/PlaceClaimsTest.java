package io.sluice.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.history.LogLimits;
import io.sluice.gateway.history.LogMemory;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of places in a log that begins behind the first message of its stream. */
final class PlaceClaimsTest {
  private static final int STREAM = 9;

  private final Exposition exposition = new Exposition("place-claims-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final TopicLog log =
      new TopicLog(1, null, LogLimits.of(Config.defaults()), new LogMemory(1 << 20, metrics));
  private final List<Set<Long>> requests = new ArrayList<>();
  private final PlaceClaims claims = new PlaceClaims(requests::add);

  @BeforeEach
  void begin() {
    log.beginStream(place(1), 1);
  }

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  private static StreamPlace place(long offset) {
    return new StreamPlace(STREAM, new long[] {StreamPlace.id(0, offset)});
  }

  private Boolean continues(long offset) {
    return claims.continues(place(offset), log, log.epoch());
  }

  @Test
  void shouldRequestOnlyMessagesThatTheLogLacks() {
    assertThat(continues(1)).isTrue();
    assertThat(continues(2)).isNull();
    assertThat(continues(2)).isNull();
    claims.onAnswer(true, false);
    assertThat(continues(2)).isTrue();
    assertThat(requests).containsExactly(Set.of(StreamPlace.id(0, 2)));
  }

  @Test
  void shouldNotTakeTheAnswerToAnAbandonedRequestForThatOfAnother() {
    assertThat(continues(2)).isNull();
    claims.abandon();
    assertThat(continues(3)).as("while the answer is missing").isFalse();
    claims.onAnswer(true, false);
    assertThat(continues(3)).as("a request of its own").isNull();
    claims.onAnswer(false, true);
    assertThat(continues(3)).isFalse();
    assertThat(requests).hasSize(2);
  }
}
