package io.sluice.loadtest.cli;

import io.sluice.loadtest.broker.workload.Length;
import java.time.Duration;
import picocli.CommandLine.Option;

/** Options for durations and the number of runs. Used by the main thread only. */
final class BenchBrokerLength {
  private static final double MILLIS = 1000;
  private static final double DEFAULT_DURATION = 5;

  @Option(
      names = "--warm-up",
      paramLabel = "SECONDS",
      description = "Warm-up excluded from the figures (default: ${DEFAULT-VALUE}).")
  private double warmUp = 2;

  @Option(
      names = "--duration",
      paramLabel = "SECONDS",
      description = "Measured duration (default: 5).")
  private Double duration;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      description = "Reporting interval (default: ${DEFAULT-VALUE}).")
  private double interval = 1;

  @Option(
      names = "--intervals",
      paramLabel = "N",
      description = "Measured duration in intervals, instead of --duration.")
  private Integer intervals;

  @Option(
      names = "--messages",
      paramLabel = "N",
      description = "Number of messages sent by each producer, instead of --duration.")
  private Long messages;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description =
          "Messages per second per producer, with latency measured from the scheduled time; 0: each"
              + " message after the broker's confirmation of the previous one (default:"
              + " ${DEFAULT-VALUE}).")
  private double rate;

  @Option(
      names = "--patience",
      paramLabel = "SECONDS",
      description =
          "Time without messages after which missing messages are lost (default:"
              + " ${DEFAULT-VALUE}).")
  private double patience = 10;

  @Option(
      names = "--runs",
      paramLabel = "N",
      description = "Number of runs; cases alternate (default: ${DEFAULT-VALUE}).")
  private int runs = 3;

  /**
   * Returns the durations given as options.
   *
   * @throws IllegalArgumentException with a message that names the invalid option and the allowed
   *     values
   */
  Length length() {
    int ends =
        (duration == null ? 0 : 1) + (intervals == null ? 0 : 1) + (messages == null ? 0 : 1);
    if (ends > 1) {
      throw new IllegalArgumentException(
          "--duration, --intervals and --messages exclude each other; expected one of them");
    }
    if (messages != null && messages < 1) {
      throw new IllegalArgumentException("--messages " + messages + ": expected at least 1");
    }
    return new Length(
        seconds(warmUp),
        seconds(interval),
        seconds(duration()),
        messages == null ? 0 : messages,
        rate,
        seconds(patience),
        runs);
  }

  private double duration() {
    if (intervals != null) {
      return intervals * interval;
    }
    return duration == null ? DEFAULT_DURATION : duration;
  }

  private static Duration seconds(double seconds) {
    return Duration.ofMillis(Math.round(seconds * MILLIS));
  }
}
