package io.sluice.gatling;

import io.gatling.javaapi.core.CheckBuilder;
import io.sluice.gatling.check.Extractors;
import io.sluice.gatling.check.StreamWindow;
import java.time.Duration;
import java.util.function.Function;

/**
 * Checks of the ages of a stream's messages: time from acceptance by the broker, or from {@code
 * sentAt}, to the receipt by the virtual user. The clocks of both machines must agree.
 */
public final class AgeChecks {
  private static final double ALL = 100;

  AgeChecks() {}

  /** Returns the check of the median. */
  public CheckBuilder.Find<Duration> p50() {
    return percentile(50);
  }

  /** Returns the check of the 75th percentile. */
  public CheckBuilder.Find<Duration> p75() {
    return percentile(75);
  }

  /** Returns the check of the 95th percentile. */
  public CheckBuilder.Find<Duration> p95() {
    return percentile(95);
  }

  /** Returns the check of the 99th percentile. */
  public CheckBuilder.Find<Duration> p99() {
    return percentile(99);
  }

  /**
   * Returns the check of a percentile. Values above 255 ms are rounded by less than 1 %.
   *
   * @param percentile above 0 to 100
   */
  public CheckBuilder.Find<Duration> percentile(double percentile) {
    if (!(percentile > 0 && percentile <= ALL)) {
      throw new IllegalArgumentException(
          "percentile must be above 0 and at most 100, not " + percentile);
    }
    String rank = percentile == Math.rint(percentile) ? "" + (long) percentile : "" + percentile;
    return find("p" + rank, window -> window.age(percentile));
  }

  /** Returns the check of the lowest age. */
  public CheckBuilder.Find<Duration> min() {
    return find("min", StreamWindow::minAge);
  }

  /** Returns the check of the mean. */
  public CheckBuilder.Find<Duration> mean() {
    return find("mean", StreamWindow::meanAge);
  }

  /** Returns the check of the highest age. */
  public CheckBuilder.Find<Duration> max() {
    return find("max", StreamWindow::maxAge);
  }

  private static CheckBuilder.Find<Duration> find(
      String name, Function<StreamWindow, Duration> value) {
    return Extractors.ofAges("age " + name, value);
  }
}
