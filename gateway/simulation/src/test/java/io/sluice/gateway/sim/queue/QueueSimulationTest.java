package io.sluice.gateway.sim.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Checks queues and requests, docs/PROTOCOL.md, sections 3 and 12, under simulated faults. Each
 * failure names its seed; {@code -Dsluice.sim.seed} runs that seed again.
 */
class QueueSimulationTest {
  private static final long EVENTS_A_SEED = 20_000;
  private static final boolean FULL = Boolean.getBoolean("sluice.full");
  private static final int FIXED_SEEDS = FULL ? 20 : 12;
  private static final int FRESH_SEEDS = FULL ? 5 : 2;
  private static final int MAX_SEEDS_OF_A_MUTANT = 100;

  /** First seeds that detect the violation of a rule, for those that seed 1 does not detect. */
  private static final Map<QueueRule, Long> FIRST_SEEDS =
      Map.of(
          QueueRule.ATTEMPTS_ARE_LIMITED, 3L,
          QueueRule.COUNTED_IS_MARKED, 2L,
          QueueRule.LOST_COUNT_IS_MARKED, 4L,
          QueueRule.REQUEST_ENDS_WITH_REPLY_QUEUE, 4L,
          QueueRule.RESPONSE_IS_CORRELATED, 3L,
          QueueRule.RETURN_ENDS_REQUEST, 2L,
          QueueRule.TIMEOUT_RELEASES, 2L);

  private static final Set<QueueRule> NONE = EnumSet.noneOf(QueueRule.class);

  @Test
  void shouldSettleEachMessageAndAnswerEachRequestOnce() {
    try (QueueSimulation simulation = new QueueSimulation(NONE, EVENTS_A_SEED)) {
      for (long seed = 1; seed <= FIXED_SEEDS; seed++) {
        simulation.run(seed);
      }
      print(simulation);
      assertThat(simulation.tally.redelivered).as("redelivered").isGreaterThan(100);
      assertThat(simulation.tally.delivered - simulation.tally.redelivered)
          .as("certainly not redelivered")
          .isGreaterThan(100);
      assertThat(simulation.tally.settled).as("settled").isGreaterThan(1_000);
      assertThat(simulation.tally.failed).as("failed settlements").isGreaterThan(10);
      assertThat(simulation.tally.late).as("late settlements").isGreaterThan(100);
      assertThat(simulation.tally.timeouts).as("released after the time limit").isGreaterThan(100);
      assertThat(simulation.tally.lost).as("released with the broker").isGreaterThan(100);
      assertThat(simulation.tally.replies).as("replies").isGreaterThan(100);
      assertThat(simulation.tally.noReplies).as("requests without a reply").isGreaterThan(100);
      assertThat(simulation.tally.committed).as("transactions").isGreaterThan(100);
      assertThat(simulation.tally.unknown).as("failed transactions").isGreaterThan(10);
      assertThat(simulation.tally.responses).as("replies of clients").isGreaterThan(100);
    }
  }

  @Test
  void shouldSettleEachMessageAndAnswerEachRequestOnceWithFreshSeeds() {
    long first = Long.getLong("sluice.sim.seed", ThreadLocalRandom.current().nextLong(1L << 40));
    long maxEvents = Long.getLong("sluice.sim.events", FRESH_SEEDS * EVENTS_A_SEED);
    System.out.printf("simulation of queues: seeds from %d%n", first);
    try (QueueSimulation simulation = new QueueSimulation(NONE, EVENTS_A_SEED)) {
      for (long seed = first; simulation.events() < maxEvents; seed++) {
        simulation.run(seed);
      }
      print(simulation);
    }
  }

  private static void print(QueueSimulation simulation) {
    System.out.printf(
        "simulation of queues: %,d events, %s%n", simulation.events(), simulation.tally);
  }

  @ParameterizedTest
  @EnumSource
  void shouldDetectViolationOfEachRule(QueueRule rule) {
    assertThat(seedThatCatches(rule)).as("a seed that catches it").isPositive();
  }

  private static long seedThatCatches(QueueRule rule) {
    try (QueueSimulation simulation = new QueueSimulation(EnumSet.of(rule), EVENTS_A_SEED)) {
      long first = FIRST_SEEDS.getOrDefault(rule, 1L);
      for (long seed = first; seed < first + MAX_SEEDS_OF_A_MUTANT; seed++) {
        long current = seed;
        AssertionError caught =
            catchThrowableOfType(AssertionError.class, () -> simulation.run(current));
        if (caught != null) {
          String why = caught.getMessage().lines().findFirst().orElse("");
          System.out.printf("simulation of queues: %s is caught by %s%n", rule, why);
          return seed;
        }
      }
    }
    return 0;
  }
}
