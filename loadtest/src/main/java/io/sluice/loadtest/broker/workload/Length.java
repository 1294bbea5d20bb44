package io.sluice.loadtest.broker.workload;

import java.time.Duration;

/**
 * How long is measured, and how often. Immutable.
 *
 * @param warmUp sent before anything is counted
 * @param interval between two reports
 * @param duration of what is counted; only if {@code messages} is 0
 * @param messages that each producer sends; 0: as long as {@code duration}
 * @param rate messages a second of each producer; 0: each as soon as the broker has answered
 * @param patience how long nothing may arrive before what is missing counts as lost
 * @param runs of everything
 */
public record Length(
    Duration warmUp,
    Duration interval,
    Duration duration,
    long messages,
    double rate,
    Duration patience,
    int runs) {
  private static final Duration LONGEST = Duration.ofHours(24);
  private static final Duration SHORTEST = Duration.ofMillis(10);

  /**
   * Checks that something is measured.
   *
   * @throws IllegalArgumentException names the option that is wrong, and what was expected
   */
  public Length {
    within("--warm-up", warmUp, Duration.ZERO);
    within("--interval", interval, SHORTEST);
    within("--duration", duration, SHORTEST);
    within("--patience", patience, SHORTEST);
    BrokerWorkload.within("--messages", messages, 0, 1_000_000_000);
    BrokerWorkload.within("--runs", runs, 1, 1_000);
    if (!(rate >= 0 && rate <= 1_000_000)) {
      throw new IllegalArgumentException(
          "--rate " + rate + ": expected messages a second, 0 to 1000000");
    }
  }

  private static void within(String option, Duration value, Duration least) {
    if (value.compareTo(least) < 0 || value.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "%s %s: expected seconds, %s to %s"
              .formatted(option, seconds(value), seconds(least), seconds(LONGEST)));
    }
  }

  private static String seconds(Duration duration) {
    return String.valueOf(duration.toMillis() / 1000.0);
  }
}
