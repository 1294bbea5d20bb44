package io.sluice.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.LoggedEvents;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class PauseWatchTest {
  private static final long MS = 1_000_000;

  private final AtomicLong nowNs = new AtomicLong();

  @Test
  void shouldReportPausesFromTheThresholdOn() {
    try (Exposition exposition = new Exposition("test");
        GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
        LoggedEvents events = LoggedEvents.of(PauseWatch.class);
        PauseWatch watch = new PauseWatch(nowNs::get, metrics)) {
      tick(watch, 250);
      tick(watch, 1249);
      assertThat(events.names()).isEmpty();
      tick(watch, 1250);
      tick(watch, 250);
      tick(watch, 3250);
      assertThat(events.names()).containsExactly("process.paused", "process.paused");
      assertThat(new String(exposition.scrape(ScrapeFormat.PROMETHEUS), StandardCharsets.UTF_8))
          .contains("sluice_process_pauses_total 2.0", "sluice_process_paused_seconds_total 4.0");
    }
  }

  private void tick(PauseWatch watch, long afterMs) {
    nowNs.addAndGet(afterMs * MS);
    watch.onTick();
  }
}
