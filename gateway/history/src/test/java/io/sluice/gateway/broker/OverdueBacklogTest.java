package io.sluice.gateway.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class OverdueBacklogTest {
  private static final long LIMIT_MS = 10_000;

  private final OverdueBacklog backlog = new OverdueBacklog(LIMIT_MS);
  private long nowNs = Long.MAX_VALUE - 1; // the clock may overflow

  private boolean isOverdue(long next, long end) {
    return backlog.isOverdue(next, end, nowNs);
  }

  private void pass(long ms) {
    nowNs += TimeUnit.MILLISECONDS.toNanos(ms);
  }

  @Test
  void shouldEndWithTheOldestMessagePastTheLimit() {
    backlog.onFull(nowNs);
    assertThat(isOverdue(0, 100)).isFalse();
    pass(LIMIT_MS);
    backlog.onFull(nowNs);
    assertThat(isOverdue(99, 5_000)).as("at the limit").isFalse();
    pass(1);
    assertThat(isOverdue(99, 5_000)).as("after it").isTrue();
    assertThat(isOverdue(5_000, 5_000)).as("at the end").isFalse();
  }

  @Test
  void shouldPermitALagWhoseMessagesArriveInTime() {
    for (int i = 0; i < 100; i++) {
      backlog.onFull(nowNs);
      assertThat(isOverdue(i * 1_000, (i + 1) * 1_000)).isFalse();
      pass(LIMIT_MS);
    }
  }

  @Test
  void shouldNotCountAnOutageOfTheSource() {
    backlog.onFull(nowNs);
    assertThat(isOverdue(0, 100)).isFalse();
    pass(10 * LIMIT_MS);
    assertThat(isOverdue(50, 100)).as("no listener is full").isFalse();
    backlog.onFull(nowNs);
    assertThat(isOverdue(50, 5_000)).isFalse();
  }
}
