package io.sluice.loadtest.report;

import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.statistics.Intervals;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Properties;
import java.util.function.ToLongFunction;

/**
 * HTML page of a measurement, with inline style, scripts and figures. It loads no resources. For
 * one thread.
 */
final class HtmlReport {
  private static final String LIBRARY = "/META-INF/maven/org.webjars/echarts/pom.properties";
  private static final String SCRIPT = library() + read("charts.js");
  private static final String POLICY =
      "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + sha256(SCRIPT) + "'";

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
    page.trusted("<!doctype html>\n").open("html", "lang", "en").open("head");
    page.single("meta", "charset", "utf-8");
    page.single("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
    page.single("meta", "http-equiv", "Content-Security-Policy", "content", POLICY);
    page.leaf("title", title).open("style").trusted(read("report.css")).close("style");
    page.close("head");
    page.open("body").leaf("h1", title);
    verdict();
    headlines();
    page.leaf("noscript", "The charts require JavaScript; the tables below contain the figures.");
    overall();
    measurement.runs().forEach(this::run);
    page.leaf("h2", "Setup");
    page.open("pre").leaf("code", measurement.command()).close("pre");
    page.open("div", "class", "tables");
    SetupTables.of(measurement).forEach(this::table);
    page.close("div").open("script").trusted(SCRIPT).close("script").close("body").close("html");
    return page.toString();
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

  /** Returns the minified ECharts, which begins with its licence notice. */
  private static String library() {
    Properties library = new Properties();
    try (InputStream properties = HtmlReport.class.getResourceAsStream(LIBRARY)) {
      library.load(properties);
    } catch (IOException e) {
      throw new UncheckedIOException(LIBRARY + " is missing from the class path", e);
    }
    String version = library.getProperty("version");
    return read("/META-INF/resources/webjars/echarts/" + version + "/echarts.common.min.js");
  }

  private static String read(String name) {
    try (InputStream resource = HtmlReport.class.getResourceAsStream(name)) {
      return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(name + " is missing from the class path", e);
    }
  }

  private static String sha256(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return Base64.getEncoder().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
