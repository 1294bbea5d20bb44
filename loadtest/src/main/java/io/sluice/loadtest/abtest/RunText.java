package io.sluice.loadtest.abtest;

import io.sluice.loadtest.report.GatewayUsage;
import io.sluice.loadtest.report.LatencyMetric;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.statistics.Intervals;
import java.util.Locale;

/** Text with the main figures of one run. Stateless, for any thread. */
final class RunText {
  private RunText() {}

  static String of(MeasuredRun run) {
    GatewayUsage usage = GatewayUsage.of(run);
    String cost =
        usage.hasCost()
            ? String.format(Locale.ROOT, ", %.2f us of CPU per frame", usage.meanMicrosPerFrame())
            : "";
    return String.format(
        Locale.ROOT,
        "mean %.3f ms, p99 %.3f ms%s",
        millis(run, LatencyMetric.MEAN),
        millis(run, LatencyMetric.P99),
        cost);
  }

  private static double millis(MeasuredRun run, LatencyMetric metric) {
    return Intervals.mean(
        run.clients().stream().mapToDouble(c -> metric.millis(c.sinceDue())).toArray());
  }
}
