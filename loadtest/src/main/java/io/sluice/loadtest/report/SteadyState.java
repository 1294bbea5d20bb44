package io.sluice.loadtest.report;

import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.GatewaySample;
import io.sluice.loadtest.result.MeasuredRun.Second;
import io.sluice.loadtest.statistics.WarmUpDetector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Steady state of a run: mean latency, p99 and CPU per frame no longer change. Stateless, for any
 * thread.
 */
public final class SteadyState {
  private static final double MICROS = 1e6;

  private SteadyState() {}

  /**
   * Returns the number of seconds that belong to the warm-up.
   *
   * @param timeline latencies of each second
   * @param gateway samples of the gateway's metrics; may be empty
   * @param seconds duration of the run
   * @return -1 if there is no steady state
   */
  public static int warmUpSeconds(List<Second> timeline, List<GatewaySample> gateway, int seconds) {
    List<double[]> series = new ArrayList<>();
    series.add(latencies(timeline, seconds, Second::mean));
    series.add(latencies(timeline, seconds, Second::p99));
    double[] cost = microsPerFrame(gateway, seconds);
    if (Arrays.stream(cost).anyMatch(Double::isFinite)) {
      series.add(cost);
    }
    return WarmUpDetector.lengthOfAll(series);
  }

  private static double[] latencies(
      List<Second> timeline, int seconds, ToDoubleFunction<Second> figure) {
    double[] series = unknown(seconds);
    for (Second second : timeline) {
      if (second.messages() > 0 && second.second() < seconds) {
        series[second.second()] = figure.applyAsDouble(second);
      }
    }
    return series;
  }

  /** Returns the gateway's CPU time per frame between two samples, assigned to the first one. */
  private static double[] microsPerFrame(List<GatewaySample> samples, int seconds) {
    double[] series = unknown(seconds);
    for (int i = 1; i < samples.size(); i++) {
      GatewaySample from = samples.get(i - 1);
      long frames = samples.get(i).framesOut() - from.framesOut();
      double cpu = samples.get(i).cpuSeconds() - from.cpuSeconds();
      int second = (int) Math.floor(from.second());
      if (second >= 0 && second < seconds && frames > 0 && cpu > 0) {
        series[second] = cpu * MICROS / frames;
      }
    }
    return series;
  }

  private static double[] unknown(int seconds) {
    double[] series = new double[seconds];
    Arrays.fill(series, Double.NaN);
    return series;
  }

  /** Returns {@code yes}, or the reason why there is none and the necessary duration. */
  public static String text(MeasuredRun run) {
    int seconds = run.warmUpSeconds() + run.seconds();
    if (run.steady()) {
      return "yes";
    }
    return seconds < WarmUpDetector.MIN_LENGTH
        ? "too short: %d s, at least %d s are necessary"
            .formatted(seconds, WarmUpDetector.MIN_LENGTH)
        : "no: still changing after %d s, measure at least %d s".formatted(seconds, 2 * seconds);
  }
}
