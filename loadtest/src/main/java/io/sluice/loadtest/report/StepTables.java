package io.sluice.loadtest.report;

import static io.sluice.loadtest.report.Numbers.count;

import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import io.sluice.loadtest.statistics.Intervals;
import java.util.ArrayList;
import java.util.List;

/** One row a step: figures against load. */
final class StepTables {
  private StepTables() {}

  /** How people tell a load from another. */
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
        List.of("load", "runs", "mean, ms", "p50, ms", "p99, ms", "p99.9, ms", "CPU, µs a frame");
    return Table.of("Steps of load", head, steps.stream().map(StepTables::step).toList())
        .withNote(
            "Latency since sent, with the 95 % interval by Student's t: over runs where a step has"
                + " several, otherwise over the clients of its run; CPU over runs or, of one run,"
                + " over its pieces.");
  }

  private static List<String> step(LoadStep step) {
    List<String> row = new ArrayList<>();
    row.add(label(step.load()));
    row.add(Integer.toString(step.runs().size()));
    for (Figure figure : List.of(Figure.MEAN, Figure.P50, Figure.P99, Figure.P999)) {
      double[] samples = step.samples(Since.SENT, figure);
      row.add(samples.length > 1 ? Intervals.student(samples).toText(3) : Numbers.fine(samples[0]));
    }
    row.add(Numbers.interval(step.cpuSamples(), 2, Intervals::student));
    return row;
  }

  /** CPU a frame over runs, of the steps that have several. */
  static Table costOverRuns(List<LoadStep> steps) {
    List<List<String>> rows =
        steps.stream()
            .filter(step -> step.hasSeveralRuns() && step.cpuSamples().length > 0)
            .map(step -> cost(step))
            .toList();
    List<String> head =
        List.of("load", "Student's t over runs, 95 %, µs", "standard deviation between runs, µs");
    return Table.of("The gateway's CPU time a frame: mean over runs", head, rows);
  }

  private static List<String> cost(LoadStep step) {
    double[] samples = step.cpuSamples();
    return List.of(
        label(step.load()),
        Numbers.interval(samples, 2, Intervals::student),
        Numbers.fine(Intervals.standardDeviation(samples)));
  }
}
