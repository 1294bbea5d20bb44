package io.sluice.loadtest.plan;

import io.sluice.loadtest.report.Figure;
import io.sluice.loadtest.report.LoadStep;
import io.sluice.loadtest.report.Since;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import io.sluice.loadtest.result.MeasuredRun.LoadGeneratorResult;
import io.sluice.loadtest.statistics.Interval;
import io.sluice.loadtest.statistics.Intervals;
import java.util.Locale;

/**
 * How a step of load stands to an objective. Immutable.
 *
 * @param reason in words
 */
record Outcome(Kind kind, String reason) {
  enum Kind {
    /** The p99 interval lies below the objective, and nothing was lost. */
    HOLDS,
    /** The interval holds the objective, or the step has not settled. */
    UNDECIDED,
    /** The interval lies above the objective, or something was lost. */
    BREAKS
  }

  static Outcome of(LoadStep step, double p99Millis) {
    for (MeasuredRun run : step.runs()) {
      String loss = loss(run);
      if (!loss.isEmpty()) {
        return new Outcome(Kind.BREAKS, loss);
      }
    }
    double[] samples = step.samples(Since.SENT, Figure.P99);
    if (samples.length < 2) {
      throw new IllegalArgumentException(
          "the step of %,d clients has one measured client and one run, of which no interval can be"
                  .formatted(step.load().clients())
              + " had: measure with at least two clients");
    }
    Interval p99 = Intervals.student(samples);
    String text = String.format(Locale.ROOT, "p99 %s ms", p99.toText(3));
    if (p99.low() >= p99Millis) {
      return new Outcome(Kind.BREAKS, text);
    }
    if (!step.runs().stream().allMatch(MeasuredRun::steady)) {
      return new Outcome(Kind.UNDECIDED, "not settled, " + text);
    }
    return new Outcome(p99.high() < p99Millis ? Kind.HOLDS : Kind.UNDECIDED, text);
  }

  private static String loss(MeasuredRun run) {
    long lost = run.clients().stream().mapToLong(ClientResult::lost).sum();
    long gaps = run.clients().stream().mapToLong(ClientResult::gaps).sum();
    LoadGeneratorResult crowd = run.loadGenerators();
    if (crowd != null) {
      gaps += crowd.gaps();
    }
    long dropped = crowd == null ? 0 : crowd.failed() + crowd.closed();
    return lost + gaps + dropped == 0
        ? ""
        : "%,d messages lost, %,d gaps told, %,d connections failed or closed"
            .formatted(lost, gaps, dropped);
  }
}
