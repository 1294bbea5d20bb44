package io.sluice.loadtest.report;

import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.Measurement;
import java.util.ArrayList;
import java.util.List;

/** Tables of a report, in the same order in HTML and in Markdown. */
final class ReportTables {
  private ReportTables() {}

  /** Returns the tables over all runs. */
  static List<Table> overall(Measurement measurement) {
    List<MeasuredRun> runs = measurement.runs();
    List<Table> tables = new ArrayList<>();
    tables.add(RunTables.loads(runs));
    List<LoadStep> steps = LoadStep.of(measurement);
    if (steps.size() > 1) {
      tables.add(StepTables.steps(steps));
    }
    for (LoadStep step : steps) {
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

  private static Table named(Table table, LoadStep step, List<LoadStep> steps) {
    if (steps.size() == 1) {
      return table;
    }
    String title = table.title() + " with " + StepTables.label(step.load());
    return new Table(title, table.head(), table.rows(), table.note());
  }
}
