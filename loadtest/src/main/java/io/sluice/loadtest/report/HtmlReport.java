package io.sluice.loadtest.report;

import io.sluice.loadtest.chart.ChartPage;
import io.sluice.loadtest.chart.Markup;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.statistics.Intervals;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * HTML page of a measurement, with inline style, scripts and figures. It loads no resources. For
 * one thread.
 */
final class HtmlReport {
  private final Markup page = new Markup();
  private final Measurement measurement;

  private HtmlReport(Measurement measurement) {
    this.measurement = measurement;
  }

  static String of(Measurement measurement) {
    return new HtmlReport(measurement).write();
  }

  private String write() {
    String title = measurement.simulation() + ", " + SetupTables.startOf(measurement);
    ChartPage.begin(page, title);
    verdict();
    headlines();
    overall();
    measurement.runs().forEach(this::run);
    page.leaf("h2", "Setup");
    page.open("pre").leaf("code", measurement.command()).close("pre");
    page.open("div", "class", "tables");
    SetupTables.of(measurement).forEach(this::table);
    page.close("div");
    return ChartPage.end(page);
  }

  private void verdict() {
    page.open("dl", "class", "verdict");
    for (Assessment assessment : ReportVerdict.of(measurement)) {
      page.open("div", "class", assessment.answer()).leaf("dt", assessment.question());
      page.open("dd")
          .leaf("strong", assessment.answer().toString())
          .text(assessment.text())
          .close("dd");
      page.close("div");
    }
    page.close("dl");
  }

  private void headlines() {
    List<LoadStep> steps = LoadStep.of(measurement);
    page.open("dl", "class", "headlines");
    if (steps.size() == 1) {
      LoadStep step = steps.get(0);
      headline("load", StepTables.label(step.load()));
      headline("mean " + Since.DUE.label(), latency(step, LatencyMetric.MEAN));
      headline("p99 " + Since.DUE.label(), latency(step, LatencyMetric.P99));
      double[] cpu = step.cpuSamples();
      if (cpu.length > 1) {
        headline(
            "gateway's CPU per frame", Intervals.student(cpu).boundedAtZero().toText(2) + " µs");
      }
    }
    headline("measured messages", Numbers.count(sum(ClientResult::received)));
    headline("lost", Numbers.count(sum(ClientResult::lost)));
    page.close("dl");
  }

  private void headline(String name, String value) {
    page.open("div").leaf("dt", name).leaf("dd", value).close("div");
  }

  private static String latency(LoadStep step, LatencyMetric metric) {
    double[] samples = step.samples(Since.DUE, metric);
    String figures =
        samples.length > 1
            ? Numbers.interval(samples, 2, Intervals::student)
            : Numbers.fine(samples[0]);
    return figures + " ms";
  }

  private long sum(ToLongFunction<ClientResult> metric) {
    return measurement.runs().stream()
        .flatMap(run -> run.clients().stream())
        .mapToLong(metric)
        .sum();
  }

  private void overall() {
    page.leaf("h2", "All runs");
    page.open("div", "class", "charts");
    List<LoadStep> steps = LoadStep.of(measurement);
    if (steps.size() > 1) {
      StepCharts.draw(page, steps);
    }
    LatencyCharts.percentiles(page, measurement);
    page.close("div");
    RunTables.overall(measurement).forEach(this::table);
  }

  private void run(MeasuredRun run) {
    String load = StepTables.label(run.load());
    page.leaf("h2", "Run " + run.number() + ": " + load);
    if (!run.steady()) {
      page.leaf("p", "Steady state: " + SteadyState.text(run) + ".", "class", "warning");
    }
    page.open("div", "class", "charts");
    TimeCharts.draw(page, run);
    for (Since since : Since.values()) {
      if (LoadStep.has(run, since)) {
        LatencyCharts.clients(page, run, since);
      }
    }
    page.close("div");
    page.open("div", "class", "tables");
    LatencyTables.overClients(run).forEach(this::table);
    page.close("div");
    page.leaf("p", LatencyTables.WHICH_INTERVAL);
    table(LatencyTables.clients(run));
  }

  private void table(Table table) {
    page.open("section").leaf("h3", table.title());
    page.open("div", "class", "wide").open("table").open("thead").open("tr");
    table.head().forEach(name -> page.leaf("th", name, "scope", "col"));
    page.close("tr").close("thead").open("tbody");
    table.rows().forEach(this::row);
    page.close("tbody").close("table").close("div");
    if (!table.note().isEmpty()) {
      page.leaf("p", table.note());
    }
    page.close("section");
  }

  private void row(List<String> cells) {
    page.open("tr").leaf("th", cells.get(0), "scope", "row");
    cells.stream().skip(1).forEach(cell -> page.leaf("td", cell));
    page.close("tr");
  }
}
