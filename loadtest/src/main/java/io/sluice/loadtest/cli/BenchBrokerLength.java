package io.sluice.loadtest.cli;

import io.sluice.loadtest.broker.workload.Length;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The options that say how long is measured, and how often. Used by the main thread only. */
final class BenchBrokerLength {
  private static final double MILLIS = 1000;
  private static final double USUAL_DURATION = 5;

  @Option(
      names = "--warm-up",
      paramLabel = "SECONDS",
      description = "Before anything is counted (${DEFAULT-VALUE}).")
  private double warmUp = 2;

  @Option(names = "--duration", paramLabel = "SECONDS", description = "Of what is counted (5).")
  private Double duration;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      description = "Between two reports (${DEFAULT-VALUE}).")
  private double interval = 1;

  @Option(
      names = "--intervals",
      paramLabel = "N",
      description = "As long as so many intervals, instead of --duration.")
  private Integer intervals;

  @Option(
      names = "--messages",
      paramLabel = "N",
      description = "Until each producer has sent so many, instead of --duration.")
  private Long messages;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description =
          "Messages a second of each producer, whose latency counts from when they were due; 0: each as soon as the broker has answered (${DEFAULT-VALUE}).")
  private double rate;

  @Option(
      names = "--patience",
      paramLabel = "SECONDS",
      description =
          "When nothing has come for so long, what is missing is lost (${DEFAULT-VALUE}).")
  private double patience = 10;

  @Option(
      names = "--runs",
      paramLabel = "N",
      description = "Of everything, turn about (${DEFAULT-VALUE}).")
  private int runs = 3;

  /**
   * What was asked for.
   *
   * @throws IllegalArgumentException names the option that is wrong, and what was expected
   */
  Length length() {
    int ends =
        (duration == null ? 0 : 1) + (intervals == null ? 0 : 1) + (messages == null ? 0 : 1);
    if (ends > 1) {
      throw new IllegalArgumentException(
          "--duration, --intervals and --messages each say when a run ends; expected one of them");
    }
    if (messages != null && messages < 1) {
      throw new IllegalArgumentException("--messages " + messages + ": expected 1 at least");
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
    return duration == null ? USUAL_DURATION : duration;
  }

  private static Duration seconds(double seconds) {
    return Duration.ofMillis(Math.round(seconds * MILLIS));
  }
}
