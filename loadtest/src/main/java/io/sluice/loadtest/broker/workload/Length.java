package io.sluice.loadtest.broker.workload;

import java.time.Duration;

/**
 * Durations of a trial and number of runs. Immutable, for any thread.
 *
 * @param warmUp duration excluded from the figures
 * @param interval reporting interval
 * @param duration measured duration, if {@code messages} is 0
 * @param messages number of messages per producer; 0 to send for {@code duration}
 * @param rate messages per second per producer; 0 to send each after the broker's confirmation
 * @param patience idle timeout after which missing messages are lost
 * @param runs number of runs
 */
public record Length(
    Duration warmUp,
    Duration interval,
    Duration duration,
    long messages,
    double rate,
    Duration patience,
    int runs) {
  private static final Duration MAX = Duration.ofHours(24);
  private static final Duration MIN = Duration.ofMillis(10);

  /**
   * Creates a length after checking its values.
   *
   * @throws IllegalArgumentException with a message that names the invalid option and the allowed
   *     values
   */
  public Length {
    within("--warm-up", warmUp, Duration.ZERO);
    within("--interval", interval, MIN);
    within("--duration", duration, MIN);
    within("--patience", patience, MIN);
    BrokerWorkload.within("--messages", messages, 0, 1_000_000_000);
    BrokerWorkload.within("--runs", runs, 1, 1_000);
    if (!(rate >= 0 && rate <= 1_000_000)) {
      throw new IllegalArgumentException(
          "--rate " + rate + ": expected messages per second, 0 to 1000000");
    }
  }

  private static void within(String option, Duration value, Duration min) {
    if (value.compareTo(min) < 0 || value.compareTo(MAX) > 0) {
      throw new IllegalArgumentException(
          "%s %s: expected seconds, %s to %s"
              .formatted(option, seconds(value), seconds(min), seconds(MAX)));
    }
  }

  private static String seconds(Duration duration) {
    return String.valueOf(duration.toMillis() / 1000.0);
  }
}
