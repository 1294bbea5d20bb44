package io.sluice.loadtest.report;

import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.result.Run;
import java.util.ArrayList;
import java.util.List;

/** The tables of a report, in the order in which they are read; the same on every kind of page. */
final class Findings {
  private Findings() {}

  /** Tables about all runs together. */
  static List<Table> overall(Measurement measurement) {
    List<Run> runs = measurement.runs();
    List<Table> tables = new ArrayList<>();
    tables.add(RunTables.loads(runs));
    List<Step> steps = Step.of(measurement);
    if (steps.size() > 1) {
      tables.add(StepTables.steps(steps));
    }
    for (Step step : steps) {
      if (step.hasSeveralRuns()) {
        LatencyTables.overRuns(step).forEach(table -> tables.add(named(table, step, steps)));
      }
    }
    tables.add(RunTables.delivery(runs));
    tables.add(RunTables.gateway(runs));
    tables.add(StepTables.costOverRuns(steps));
    tables.add(RunTables.crowd(runs));
    tables.add(RunTables.connects(runs));
    tables.removeIf(table -> table.rows().isEmpty());
    return tables;
  }

  private static Table named(Table table, Step step, List<Step> steps) {
    if (steps.size() == 1) {
      return table;
    }
    String title = table.title() + " with " + StepTables.label(step.load());
    return new Table(title, table.head(), table.rows(), table.note());
  }
}
