package io.sluice.gateway.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests of the clock that stands still while its owner is late. */
final class RunningClockTest {
  private final AtomicLong ns = new AtomicLong(Long.MAX_VALUE - 1_000_000);
  private final RunningClock clock = new RunningClock(ns::get, 250);

  private void pass(long ms) {
    ns.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
  }

  @Test
  void runsWhileTicksAreInTime() {
    long startMs = clock.nowMs();
    for (int i = 0; i < 40; i++) {
      pass(250);
      assertThat(clock.tick()).isTrue();
    }
    assertThat(clock.nowMs() - startMs).isEqualTo(10_000);
  }

  @Test
  void standsStillDuringPauseAndThenDefersJudgement() {
    long startMs = clock.nowMs();
    pass(100);
    pass(15_000); // stopped
    assertThat(clock.nowMs() - startMs).isEqualTo(250);
    assertThat(clock.tick()).as("judges before reading").isFalse();
    assertThat(clock.nowMs() - startMs).isEqualTo(250);
    pass(250);
    assertThat(clock.tick()).isTrue();
    assertThat(clock.nowMs() - startMs).isEqualTo(500);
  }

  @Test
  void runsSlowlyOnStarvedMachine() {
    long startMs = clock.nowMs();
    for (int i = 0; i < 10; i++) {
      pass(1_000);
      assertThat(clock.tick()).as("it judges every second time").isEqualTo(i % 2 == 1);
    }
    assertThat(clock.nowMs() - startMs).isEqualTo(2_500);
  }

  @Test
  void judgesAfterTimeWithoutChecksAndDefersAfterPause() {
    long startMs = clock.nowMs();
    pass(60_000); // no checks
    clock.resume();
    assertThat(clock.nowMs() - startMs).isEqualTo(250);
    pass(15_000); // stopped
    assertThat(clock.tick()).as("judges before reading").isFalse();
    clock.resume();
    pass(250);
    assertThat(clock.tick()).isTrue();
    assertThat(clock.nowMs() - startMs).isEqualTo(750);
  }

  @Test
  void neverRunsBackwardsOrAheadOfItsSource() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    long startNs = ns.get();
    long startedNs = clock.nowNs();
    long lastNs = startedNs;
    for (int i = 0; i < 10_000; i++) {
      ns.addAndGet(random.nextInt(1_000_000_000));
      if (random.nextBoolean()) {
        clock.tick();
      }
      long nowNs = clock.nowNs();
      assertThat(nowNs - lastNs).as("seed %d", seed).isNotNegative();
      assertThat(nowNs - startedNs).as("seed %d", seed).isLessThanOrEqualTo(ns.get() - startNs);
      lastNs = nowNs;
    }
  }
}
