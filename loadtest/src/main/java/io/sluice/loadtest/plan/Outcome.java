package io.sluice.loadtest.plan;

import io.sluice.loadtest.report.LatencyMetric;
import io.sluice.loadtest.report.LoadStep;
import io.sluice.loadtest.report.Since;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import io.sluice.loadtest.result.MeasuredRun.LoadGeneratorResult;
import io.sluice.loadtest.statistics.Interval;
import io.sluice.loadtest.statistics.Intervals;
import java.util.Locale;

/**
 * Result of the comparison of a load step with an objective. Immutable, for any thread.
 *
 * @param reason text with the figures
 */
record Outcome(Kind kind, String reason) {
  enum Kind {
    /** The p99 interval is below the objective, and nothing was lost. */
    MET,
    /** The interval contains the objective, or a run has no steady state. */
    UNDECIDED,
    /** The interval is above the objective, or something was lost. */
    VIOLATED
  }

  static Outcome of(LoadStep step, double p99Millis) {
    for (MeasuredRun run : step.runs()) {
      String loss = loss(run);
      if (!loss.isEmpty()) {
        return new Outcome(Kind.VIOLATED, loss);
      }
    }
    double[] samples = step.samples(Since.DUE, LatencyMetric.P99);
    if (samples.length < 2) {
      throw new IllegalArgumentException(
          "the step with %,d clients has one measured client and one run, which allow no confidence"
                  .formatted(step.load().clients())
              + " interval: measure at least two clients");
    }
    Interval p99 = Intervals.student(samples).boundedAtZero();
    String text = String.format(Locale.ROOT, "p99 %s ms", p99.toText(3));
    if (p99.low() >= p99Millis) {
      return new Outcome(Kind.VIOLATED, text);
    }
    if (!step.runs().stream().allMatch(MeasuredRun::steady)) {
      return new Outcome(Kind.UNDECIDED, "no steady state, " + text);
    }
    return new Outcome(p99.high() < p99Millis ? Kind.MET : Kind.UNDECIDED, text);
  }

  private static String loss(MeasuredRun run) {
    long lost = run.clients().stream().mapToLong(ClientResult::lost).sum();
    long gaps = run.clients().stream().mapToLong(ClientResult::gaps).sum();
    LoadGeneratorResult loadGenerators = run.loadGenerators();
    if (loadGenerators != null) {
      gaps += loadGenerators.gaps();
    }
    long dropped = loadGenerators == null ? 0 : loadGenerators.failed() + loadGenerators.closed();
    return lost + gaps + dropped == 0
        ? ""
        : "%,d messages lost, %,d gaps reported, %,d connections failed or closed"
            .formatted(lost, gaps, dropped);
  }
}
