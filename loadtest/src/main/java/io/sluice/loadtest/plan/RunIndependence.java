package io.sluice.loadtest.plan;

import io.sluice.loadtest.report.LoadStep;
import io.sluice.loadtest.result.Measurement;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Check that the intervals of measurements apply to further runs of further processes. Stateless,
 * for any thread.
 */
public final class RunIndependence {
  /** Option with which measurements of one process are accepted. */
  public static final String OPTION = "--accept-one-process";

  private RunIndependence() {}

  /**
   * Returns the first load step whose interval does not apply to further processes, as one
   * sentence; nothing if there is none.
   */
  public static Optional<String> violation(List<Measurement> measurements) {
    return StepSeries.of(measurements).stream()
        .flatMap(series -> series.steps().stream())
        .filter(step -> step.processes().size() < 2)
        .findFirst()
        .map(RunIndependence::text);
  }

  private static String text(LoadStep step) {
    int runs = step.runs().size();
    return String.format(
        Locale.ROOT,
        "the step with %,d clients has %s: its interval says nothing about further processes",
        step.load().clients(),
        runs == 1 ? "one run" : runs + " runs of one process, or of unknown ones");
  }
}
