package io.sluice.loadtest.report;

import static io.sluice.loadtest.report.Numbers.count;

import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import io.sluice.loadtest.statistics.Intervals;
import java.util.ArrayList;
import java.util.List;

/** Tables with one row per step: figures against load. Stateless. */
final class StepTables {
  private StepTables() {}

  /** Returns the text of a load. */
  static String label(LoadProfile load) {
    return "%s clients, %s topics × %s/s × %s B"
        .formatted(
            count(load.clients()),
            count(load.topics()),
            Numbers.rate(load.rate()),
            count(load.payloadBytes()));
  }

  static Table steps(List<LoadStep> steps) {
    List<String> head =
        List.of("load", "runs", "mean, ms", "p50, ms", "p99, ms", "p99.9, ms", "CPU, µs per frame");
    return Table.of("Load steps", head, steps.stream().map(StepTables::step).toList())
        .withNote(
            "Latency since due, with the 95 % confidence interval by Student's t: over runs if"
                + " a step has several, otherwise over the clients of its run; CPU over runs or,"
                + " for one run, over its segments.");
  }

  private static List<String> step(LoadStep step) {
    List<String> row = new ArrayList<>();
    row.add(label(step.load()));
    row.add(Integer.toString(step.runs().size()));
    for (LatencyMetric metric :
        List.of(LatencyMetric.MEAN, LatencyMetric.P50, LatencyMetric.P99, LatencyMetric.P999)) {
      double[] samples = step.samples(Since.DUE, metric);
      row.add(
          samples.length > 1
              ? Numbers.interval(samples, 2, Intervals::student)
              : Numbers.fine(samples[0]));
    }
    row.add(Numbers.interval(step.cpuSamples(), 2, Intervals::student));
    return row;
  }

  /** Returns the CPU per frame over runs, of steps with several runs. */
  static Table costOverRuns(List<LoadStep> steps) {
    List<List<String>> rows =
        steps.stream()
            .filter(step -> step.hasSeveralRuns() && step.cpuSamples().length > 0)
            .map(step -> cost(step))
            .toList();
    List<String> head =
        List.of("load", "Student's t over runs, 95 %, µs", "standard deviation between runs, µs");
    Table table = Table.of("The gateway's CPU time per frame: mean over runs", head, rows);
    return rows.isEmpty() ? table : table.withNote(LatencyTables.validity(steps.get(0)));
  }

  private static List<String> cost(LoadStep step) {
    double[] samples = step.cpuSamples();
    return List.of(
        label(step.load()),
        Numbers.interval(samples, 2, Intervals::student),
        Numbers.fine(Intervals.standardDeviation(samples)));
  }
}
