package io.sluice.loadtest.report;

import io.sluice.loadtest.result.Latencies;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.result.Measurement.ClockOffset;
import java.util.Locale;

/** Validity check of a measurement's figures. Stateless, for any thread. */
public final class MeasurementCheck {
  /** Clock uncertainty without a comparison: the broker's timestamps have whole milliseconds. */
  private static final double DEFAULT_UNCERTAINTY_MICROS = 1000;

  private MeasurementCheck() {}

  /**
   * Checks all runs of a measurement.
   *
   * @throws IllegalArgumentException if figures are invalid; the message names run and client
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
      throw new IllegalArgumentException(place + " has no measured seconds");
    }
    boolean hasBroker = run.clients().stream().anyMatch(c -> c.sinceBroker() != null);
    for (ClientResult client : run.clients()) {
      String label = place + ", client " + client.number() + " (" + client.topic() + "): ";
      check(label, Since.DUE, client, uncertaintyMicros);
      if (hasBroker) {
        check(label, Since.BROKER, client, uncertaintyMicros);
      }
    }
  }

  private static void check(String label, Since since, ClientResult client, double uncertainty) {
    Latencies latencies = since.of(client);
    if (latencies == null || latencies.count() == 0) {
      throw new IllegalArgumentException(
          label
              + "no latencies "
              + since.label()
              + ": no message was received in the measured seconds");
    }
    if (latencies.leastMicros() < -uncertainty) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%s%d messages have a latency %s below 0, down to %.3f ms, which exceeds the clocks'"
                  + " uncertainty of %.3f ms: synchronize them with one time source, or measure on"
                  + " one machine",
              label,
              latencies.early(),
              since.label(),
              latencies.leastMicros() / 1000.0,
              uncertainty / 1000));
    }
    checkHistogram(label, since, latencies);
  }

  private static void checkHistogram(String label, Since since, Latencies latencies) {
    long packed;
    try {
      packed = latencies.unpack().getTotalCount();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(label + since.label() + ": " + e.getMessage(), e);
    }
    if (packed != latencies.count()) {
      throw new IllegalArgumentException(
          String.format(
              "%sthe histogram %s contains %d messages instead of %d",
              label, since.label(), packed, latencies.count()));
    }
  }
}
