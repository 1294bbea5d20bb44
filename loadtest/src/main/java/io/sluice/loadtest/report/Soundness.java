package io.sluice.loadtest.report;

import io.sluice.loadtest.result.Latencies;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.result.Measurement.ClockOffset;
import java.util.Locale;

/** Refuses a measurement whose figures would say nothing, or nothing true. */
public final class Soundness {
  /** The broker's time has whole milliseconds, and nobody has compared the clocks. */
  private static final double DEFAULT_UNCERTAINTY_MICROS = 1000;

  private Soundness() {}

  /**
   * Checks all runs.
   *
   * @throws IllegalArgumentException if figures can't be had; the message names run and client
   */
  public static void check(Measurement measurement) {
    if (measurement.runs().isEmpty()) {
      throw new IllegalArgumentException(measurement.simulation() + " has no runs");
    }
    double uncertainty = uncertaintyMicros(measurement.clock());
    measurement.runs().forEach(run -> check(run, uncertainty));
  }

  private static double uncertaintyMicros(ClockOffset clock) {
    return clock == null ? DEFAULT_UNCERTAINTY_MICROS : clock.uncertaintyMicros();
  }

  private static void check(MeasuredRun run, double uncertaintyMicros) {
    String place = "run " + run.number();
    if (run.clients().isEmpty()) {
      throw new IllegalArgumentException(place + " has no measured clients");
    }
    if (run.seconds() <= 0) {
      throw new IllegalArgumentException(place + " has no seconds that count");
    }
    boolean hasBroker = run.clients().stream().anyMatch(c -> c.sinceBroker() != null);
    for (ClientResult client : run.clients()) {
      String who = place + ", client " + client.number() + " (" + client.topic() + "): ";
      check(who, Since.SENT, client, uncertaintyMicros);
      if (hasBroker) {
        check(who, Since.BROKER, client, uncertaintyMicros);
      }
    }
  }

  private static void check(String who, Since since, ClientResult client, double uncertainty) {
    Latencies latencies = since.of(client);
    if (latencies == null || latencies.count() == 0) {
      throw new IllegalArgumentException(
          who + "no latencies " + since.label() + ": no message came in the seconds that count");
    }
    if (latencies.leastMicros() < -uncertainty) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%s%d messages had a latency %s below 0, down to %.3f ms, but the clocks are known"
                  + " to within %.3f ms: set them by the same time source, or measure on one"
                  + " machine",
              who,
              latencies.early(),
              since.label(),
              latencies.leastMicros() / 1000.0,
              uncertainty / 1000));
    }
    checkHistogram(who, since, latencies);
  }

  private static void checkHistogram(String who, Since since, Latencies latencies) {
    long packed;
    try {
      packed = latencies.unpack().getTotalCount();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(who + since.label() + ": " + e.getMessage(), e);
    }
    if (packed != latencies.count()) {
      throw new IllegalArgumentException(
          String.format(
              "%sthe histogram %s holds %d messages instead of %d",
              who, since.label(), packed, latencies.count()));
    }
  }
}
