package io.sluice.gateway.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.hub.ManualExecutor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a shard's queue is drained. */
final class DrainScheduleTest {
  private static final int MANY = 256;

  private final ManualExecutor loop = new ManualExecutor();
  private int drains;

  @AfterEach
  void close() {
    loop.shutdownNow();
  }

  private DrainSchedule schedule(long lingerMs) {
    return new DrainSchedule(loop, () -> drains++, lingerMs);
  }

  private DrainSchedule lingering() {
    DrainSchedule schedule = schedule(5);
    schedule.wakeForMessage();
    loop.runAll();
    assertThat(drains).isEqualTo(1);
    schedule.linger();
    return schedule;
  }

  @Test
  void shouldDrainOnceForSeveralMessages() {
    DrainSchedule schedule = schedule(5);
    schedule.wakeForMessage();
    schedule.wakeForMessage();
    loop.runAll();
    assertThat(drains).isEqualTo(1);
  }

  @Test
  void shouldCollectMessagesUntilTheLingerEnds() {
    DrainSchedule schedule = lingering();
    schedule.wakeForMessage();
    loop.runAll();
    assertThat(drains).as("during the linger").isEqualTo(1);
    loop.fireTimers();
    assertThat(drains).as("after the linger").isEqualTo(2);
  }

  @Test
  void shouldEndTheLingerForAnotherEvent() {
    DrainSchedule schedule = lingering();
    schedule.wake();
    loop.runAll();
    assertThat(drains).isEqualTo(2);
    loop.fireTimers();
    assertThat(drains).as("the timer of a linger that was ended").isEqualTo(2);
  }

  @Test
  void shouldDrainAgainAfterSleep() {
    DrainSchedule schedule = lingering();
    loop.fireTimers();
    schedule.sleep();
    schedule.wakeForMessage();
    loop.runAll();
    assertThat(drains).isEqualTo(3);
  }

  @Test
  void shouldLingerOnlyAfterABatchToManyClients() {
    assertThat(schedule(5).lingersAfter(MANY, 0)).isTrue();
    assertThat(schedule(5).lingersAfter(MANY - 1, 0)).isFalse();
  }

  @Test
  void shouldNotLingerWhileBehind() {
    assertThat(schedule(5).lingersAfter(MANY, 15)).isTrue();
    assertThat(schedule(5).lingersAfter(MANY, 16)).isFalse();
  }

  @Test
  void shouldNeverLingerWhenDisabled() {
    assertThat(schedule(0).lingersAfter(MANY, 0)).isFalse();
  }
}
