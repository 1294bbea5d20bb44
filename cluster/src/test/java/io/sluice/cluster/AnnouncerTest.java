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
    return TimeUnit.NANOSECONDS.toMillis(announcer.waitNs());
  }

  @Test
  void shouldSayNothingWithoutAMaterialChange() {
    announcer.report(load(1_000, 1_000));
    announcer.tell();
    pass(60_000);
    announcer.report(new Load(1_049, 951, 109, 0.54, 5.9));
    assertThat(announcer.waitNs()).isNegative();
    announcer.report(load(1_050, 1_000));
    assertThat(announcer.waitNs()).isZero();
  }

  @Test
  void shouldTellFiguresAtMostOnceAReport() {
    announcer.report(load(1_000, 0));
    assertThat(announcer.waitNs()).isZero();
    announcer.tell();
    pass(1_000);
    announcer.report(load(2_000, 0));
    assertThat(waitMs()).isEqualTo(4_000);
  }

  @Test
  void shouldTellAStateAtOnce() {
    announcer.tell();
    announcer.announce(NodeState.UP, 1);
    assertThat(announcer.waitNs()).isZero();
  }

  @Test
  void shouldTellAtOnceThatTheLastClientOfADrainIsGone() {
    announcer.report(load(1_000, 1_000));
    announcer.announce(NodeState.DRAINING, 1);
    announcer.tell();
    announcer.report(load(900, 1));
    assertThat(announcer.waitNs()).isPositive();
    announcer.report(load(900, 0));
    assertThat(announcer.waitNs()).isZero();
  }
}
