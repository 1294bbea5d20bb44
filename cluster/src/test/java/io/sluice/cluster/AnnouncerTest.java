package io.sluice.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class AnnouncerTest {
  private final AtomicLong nowNs = new AtomicLong();
  private final Announcer announcer = new Announcer(Nodes.node("a"), 5_000, nowNs::get);

  private static Load load(int connections, int movable) {
    return new Load(connections, movable, 100, 0.5, 1);
  }

  private void pass(long ms) {
    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
  }

  private long waitMs() {
    return TimeUnit.NANOSECONDS.toMillis(announcer.delayNs());
  }

  @Test
  void shouldSendNoStatusWithoutAMaterialChange() {
    announcer.report(load(1_000, 1_000));
    announcer.nextStatus();
    pass(60_000);
    announcer.report(new Load(1_049, 951, 109, 0.54, 5.9));
    assertThat(announcer.delayNs()).isNegative();
    announcer.report(load(1_050, 1_000));
    assertThat(announcer.delayNs()).isZero();
  }

  @Test
  void shouldSendFiguresAtMostOncePerReportInterval() {
    announcer.report(load(1_000, 0));
    assertThat(announcer.delayNs()).isZero();
    announcer.nextStatus();
    pass(1_000);
    announcer.report(load(2_000, 0));
    assertThat(waitMs()).isEqualTo(4_000);
  }

  @Test
  void shouldSendAStateAtOnce() {
    announcer.nextStatus();
    announcer.announce(NodeState.UP, 1);
    assertThat(announcer.delayNs()).isZero();
  }

  @Test
  void shouldSendTheEndOfADrainAtOnce() {
    announcer.report(load(1_000, 1_000));
    announcer.announce(NodeState.DRAINING, 1);
    announcer.nextStatus();
    announcer.report(load(900, 1));
    assertThat(announcer.delayNs()).isPositive();
    announcer.report(load(900, 0));
    assertThat(announcer.delayNs()).isZero();
  }
}
