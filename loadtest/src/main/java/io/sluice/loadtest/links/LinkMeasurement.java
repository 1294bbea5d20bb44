package io.sluice.loadtest.links;

import io.sluice.loadtest.broker.result.MarkdownTable;
import io.sluice.loadtest.chart.Chart;
import io.sluice.loadtest.chart.Chart.Axis;
import io.sluice.loadtest.chart.Chart.Point;
import io.sluice.loadtest.chart.ChartPage;
import io.sluice.loadtest.chart.Markup;
import io.sluice.loadtest.result.MachineDescription;
import io.sluice.loadtest.statistics.Interval;
import io.sluice.loadtest.statistics.Intervals;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/** Result of a benchmark of links, as tables and as CSV. Immutable, for any thread. */
public final class LinkMeasurement {
  private static final List<String> TIERS = List.of("root", "relay", "leaf");
  private static final double PERCENT = 100;

  private final LinkPlan plan;
  private final List<LinkRun> runs;
  private final List<String> failures;

  LinkMeasurement(LinkPlan plan, List<LinkRun> runs, List<String> failures) {
    this.plan = plan;
    this.runs = runs;
    this.failures = failures;
  }

  /** Returns a line for each number of peers whose runs failed. */
  public List<String> failures() {
    return failures;
  }

  /** Returns the tables in Markdown. */
  public String toText() {
    StringBuilder text = new StringBuilder();
    for (LinkScenario scenario : plan.scenarios()) {
      text.append("### ").append(scenario).append(": ");
      text.append(scenario.description());
      text.append("\n\n").append(table(scenario)).append('\n');
    }
    return text.append(
            """
            Messages/s and MB/s: per subscriber. CPU: of a node, per message from the broker. \
            Latency: %d messages/s, at the root since they were due; + is what a tier adds. \
            Paper: reliable multicast, 1 GbE, 2005.
            Limits here: all processes share %d cores (column busy) and the loopback interface.
            """
                .formatted(plan.rate(), MachineDescription.here().cores()))
        .toString();
  }

  private String table(LinkScenario scenario) {
    List<String> head =
        new ArrayList<>(List.of("B × peers", "messages/s", "MB/s", "paper", "busy, %"));
    scenario.tiers().forEach(tier -> head.add(tier + " CPU, µs"));
    for (String tier : scenario.tiers()) {
      String sign = tier.equals("root") ? "" : "+ ";
      head.add(sign + tier + " p50, ms");
      head.add("p99");
    }
    MarkdownTable table = new MarkdownTable(head.toArray(String[]::new));
    for (int bytes : plan.bytes()) {
      for (int peers : plan.peers()) {
        for (boolean multicast : plan.multicasts()) {
          List<LinkRun> of = runs(scenario, bytes, multicast, peers);
          if (!of.isEmpty()) {
            table.row(row(of));
          }
        }
      }
    }
    return table.toText();
  }

  private List<LinkRun> runs(LinkScenario scenario, int bytes, boolean multicast, int peers) {
    return runs.stream()
        .filter(run -> run.scenario() == scenario && run.multicast() == multicast)
        .filter(run -> run.bytes() == bytes && run.peers() == peers)
        .toList();
  }

  private static List<String> row(List<LinkRun> of) {
    LinkRun first = of.get(0);
    LinkScenario scenario = first.scenario();
    int bytes = first.bytes();
    List<String> row = new ArrayList<>();
    row.add(bytes + " × " + first.peers() + (first.multicast() ? ", multicast" : ""));
    row.add(figure(of, LinkRun::messages, 0));
    row.add(figure(of, LinkRun::megabytes, 1));
    row.add(scenario.paper(bytes));
    row.add(figure(of, run -> run.busy() * PERCENT, 0));
    for (int i = 0; i < scenario.tiers().size(); i++) {
      int tier = i;
      row.add(figure(of, run -> run.cpuMicros().get(tier), 1));
    }
    for (int i = 0; i < scenario.tiers().size(); i++) {
      int tier = i;
      row.add(figure(of, run -> shown(run, tier).p50(), 2));
      row.add(figure(of, run -> shown(run, tier).p99(), 2));
    }
    return row;
  }

  private static LinkFigures.Percentiles shown(LinkRun run, int tier) {
    return tier == 0 ? run.latency().get(0) : run.added().get(tier);
  }

  private static String figure(List<LinkRun> runs, ToDoubleFunction<LinkRun> value, int decimals) {
    return MarkdownTable.figure(runs.stream().mapToDouble(value).toArray(), decimals);
  }

  /** Returns a page with charts of throughput by the number of peers. */
  public String toHtml() {
    Markup page = new Markup();
    ChartPage.begin(page, "Links between nodes");
    page.open("div", "class", "charts");
    for (LinkScenario scenario : plan.scenarios()) {
      chart(page, scenario);
    }
    page.close("div").open("pre").leaf("code", toText()).close("pre");
    return ChartPage.end(page);
  }

  private void chart(Markup page, LinkScenario scenario) {
    List<LinkRun> all = runs.stream().filter(run -> run.scenario() == scenario).toList();
    List<Integer> paper = scenario.paperMegabytes();
    Axis y =
        Axis.log(
            "MB/s per subscriber",
            DoubleStream.concat(
                all.stream().mapToDouble(LinkRun::megabytes),
                paper.stream().mapToDouble(each -> each)));
    Chart chart = new Chart(scenario + ": " + scenario.description(), Axis.linear("N"), y);
    int series = 0;
    for (boolean multicast : plan.multicasts()) {
      for (int bytes : plan.bytes()) {
        line(chart, series++, scenario, bytes, multicast);
      }
    }
    for (int megabytes : paper) {
      chart.line(series, "paper " + megabytes, level(megabytes));
    }
    chart.write(page);
  }

  private void line(Chart chart, int series, LinkScenario scenario, int bytes, boolean multicast) {
    List<Point> means = new ArrayList<>();
    for (int peers : plan.peers()) {
      double[] samples =
          runs(scenario, bytes, multicast, peers).stream()
              .mapToDouble(LinkRun::megabytes)
              .toArray();
      means.add(new Point(peers, Intervals.mean(samples)));
      if (samples.length > 1) {
        interval(chart, series, peers, Intervals.student(samples).boundedAtZero());
      }
    }
    chart.line(series, bytes + " B" + (multicast ? ", multicast" : ""), means);
  }

  private static void interval(Chart chart, int series, int peers, Interval of) {
    Point low = new Point(peers, of.low());
    Point high = new Point(peers, of.high());
    chart.interval(series, low, new Point(peers, of.estimate()), high, of.toText(1) + " MB/s");
  }

  private List<Point> level(int megabytes) {
    return List.of(
        new Point(plan.peers().get(0), megabytes),
        new Point(plan.peers().get(plan.peers().size() - 1), megabytes));
  }

  /** Returns one line per run. */
  public String toCsv() {
    StringJoiner head = new StringJoiner(",");
    head.add("scenario,transport,bytes,peers,run,messages_per_s,mb_per_s,busy");
    for (String tier : TIERS) {
      head.add(tier + "_cpu_us");
      head.add(tier + "_p50_ms," + tier + "_p99_ms");
      head.add(tier + "_added_p50_ms," + tier + "_added_p99_ms");
    }
    StringBuilder text = new StringBuilder(head.toString()).append('\n');
    runs.forEach(run -> text.append(line(run)).append('\n'));
    return text.toString();
  }

  private static String line(LinkRun run) {
    StringJoiner line = new StringJoiner(",");
    line.add(run.scenario() + "," + run.transport());
    line.add(run.bytes() + "," + run.peers() + "," + run.number());
    line.add(number(run.messages(), 0)).add(number(run.megabytes(), 2)).add(number(run.busy(), 2));
    for (String name : TIERS) {
      int tier = run.scenario().tiers().indexOf(name);
      if (tier < 0) {
        line.add(",,,,");
        continue;
      }
      line.add(number(run.cpuMicros().get(tier), 1));
      add(line, run.latency().get(tier));
      add(line, run.added().get(tier));
    }
    return line.toString();
  }

  private static void add(StringJoiner line, LinkFigures.Percentiles percentiles) {
    line.add(number(percentiles.p50(), 3)).add(number(percentiles.p99(), 3));
  }

  private static String number(double value, int decimals) {
    return Double.isFinite(value) ? String.format(Locale.ROOT, "%." + decimals + "f", value) : "";
  }
}
