package io.sluice.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class LinkLagTest {
  @Test
  void shouldGrowWhileNoReportArrives() {
    AtomicLong clock = new AtomicLong();
    LinkLag lag = new LinkLag(clock::get);
    lag.set(new LinkRecord.Lag(7, 300));
    clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(2 * LinkLag.INTERVAL_MS));
    assertThat(lag.ageMs()).isEqualTo(300);
    clock.addAndGet(TimeUnit.SECONDS.toNanos(9));
    assertThat(lag.ageMs()).isEqualTo(9_300);
    assertThat(lag.messages()).isEqualTo(7);
  }
}
