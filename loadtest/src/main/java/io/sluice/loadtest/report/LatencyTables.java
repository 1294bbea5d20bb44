package io.sluice.loadtest.report;

import static io.sluice.loadtest.report.Numbers.fine;
import static io.sluice.loadtest.report.Numbers.interval;

import io.sluice.loadtest.result.Latencies;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import io.sluice.loadtest.statistics.Bootstrap;
import io.sluice.loadtest.statistics.Intervals;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Tables of latencies over clients, over runs, and of each client, in milliseconds. Stateless. */
final class LatencyTables {
  static final String WHICH_INTERVAL =
      "The interval over the clients of one run estimates the mean of all its clients. These"
          + " clients share the random conditions of that run. The interval therefore does not"
          + " apply to other runs, which the interval over runs covers.";

  private static final String WHOLE_MILLISECONDS =
      "The broker's timestamps have whole milliseconds. These latencies are therefore too long by"
          + " up to 1 ms, by 0.5 ms on average.";

  private static final int MIN = 2;
  private static final int MIN_BOOTSTRAP = 5;
  private static final long SEED = 1;
  private static final List<LatencyMetric> METRICS = List.of(LatencyMetric.values());

  private LatencyTables() {}

  /**
   * Returns tables of every metric over the clients of a run, one for each measured kind of
   * latency.
   */
  static List<Table> overClients(MeasuredRun run) {
    return Stream.of(Since.values())
        .filter(since -> LoadStep.has(run, since))
        .map(since -> overClients(run, since))
        .toList();
  }

  private static Table overClients(MeasuredRun run, Since since) {
    String title =
        "Latency %s, run %d: mean over %d clients"
            .formatted(since.label(), run.number(), run.clients().size());
    List<String> head =
        List.of(
            "each client's", "normal, 95 %, ms", "Student's t, 95 %, ms", "bootstrap, 95 %, ms");
    List<List<String>> rows = METRICS.stream().map(f -> row(run, since, f)).toList();
    return Table.of(title, head, rows).withNote(note(run, since));
  }

  private static String note(MeasuredRun run, Since since) {
    List<String> sentences = new ArrayList<>();
    if (since == Since.BROKER) {
      sentences.add(WHOLE_MILLISECONDS);
    }
    sentences.add(few(List.of(run), since));
    sentences.removeIf(String::isEmpty);
    return String.join(" ", sentences);
  }

  private static String few(List<MeasuredRun> runs, Since since) {
    long fewest =
        runs.stream()
            .flatMap(run -> run.clients().stream())
            .mapToLong(client -> since.of(client).count())
            .min()
            .orElse(0);
    return LatencyMetric.warning(fewest, "the messages of a client");
  }

  private static List<String> row(MeasuredRun run, Since since, LatencyMetric metric) {
    double[] samples = LoadStep.clients(run, since, metric);
    String alone = fine(samples[0]);
    return List.of(
        metric.label(),
        samples.length < MIN ? alone : interval(samples, MIN, Intervals::normal),
        interval(samples, MIN, Intervals::student),
        interval(samples, MIN_BOOTSTRAP, all -> Bootstrap.mean(all, SEED)));
  }

  /** Returns tables of every metric over the runs of a step, which must have several. */
  static List<Table> overRuns(LoadStep step) {
    return Stream.of(Since.values()).filter(step::has).map(since -> overRuns(step, since)).toList();
  }

  private static Table overRuns(LoadStep step, Since since) {
    String title = "Latency %s: mean over %d runs".formatted(since.label(), step.runs().size());
    List<String> head =
        List.of(
            "each run's",
            "Student's t over runs, 95 %, ms",
            "standard deviation between runs, ms",
            "between clients of a run, ms");
    List<List<String>> rows =
        METRICS.stream()
            .map(
                metric ->
                    List.of(
                        metric.label(),
                        interval(step.means(since, metric), MIN, Intervals::student),
                        fine(Intervals.standardDeviation(step.means(since, metric))),
                        fine(withinRuns(step, since, metric))))
            .toList();
    return Table.of(title, head, rows)
        .withNote((validity(step) + " " + few(step.runs(), since)).strip());
  }

  /** Returns the sentence about the processes to which intervals over the runs of a step apply. */
  static String validity(LoadStep step) {
    int processes = step.processes().size();
    return processes == 1
        ? "All runs share one gateway process, or their processes are unknown: the interval applies"
            + " to further runs of this process only."
        : "The runs measure %d gateway processes.".formatted(processes);
  }

  /** Returns the standard deviation between clients: the square root of the runs' mean variance. */
  private static double withinRuns(LoadStep step, Since since, LatencyMetric metric) {
    double[] variances =
        step.runs().stream()
            .map(run -> LoadStep.clients(run, since, metric))
            .mapToDouble(clients -> Math.pow(Intervals.standardDeviation(clients), 2))
            .toArray();
    return Math.sqrt(Intervals.mean(variances));
  }

  /** Returns a table with a row for each client of a run. */
  static Table clients(MeasuredRun run) {
    List<String> head = new ArrayList<>(List.of("client", "topic", "received"));
    List<Since> measured =
        Arrays.stream(Since.values()).filter(since -> LoadStep.has(run, since)).toList();
    for (Since since : measured) {
      METRICS.forEach(metric -> head.add(metric.label() + " " + since.label() + ", ms"));
    }
    head.addAll(List.of("lost", "duplicates", "out of order", "gaps", "no stamp", "early"));
    List<List<String>> rows = run.clients().stream().map(c -> client(c, measured)).toList();
    return Table.of("Clients of run " + run.number(), head, rows);
  }

  private static List<String> client(ClientResult client, List<Since> measured) {
    List<String> row = new ArrayList<>();
    row.add(Integer.toString(client.number()));
    row.add(client.topic());
    row.add(Numbers.count(client.received()));
    for (Since since : measured) {
      Latencies latencies = since.of(client);
      METRICS.forEach(metric -> row.add(fine(metric.millis(latencies))));
    }
    Stream.of(client.lost(), client.repeated(), client.reordered(), client.gaps())
        .map(Numbers::count)
        .forEach(row::add);
    row.add(Numbers.count(client.unreadable()));
    row.add(Numbers.count(early(client)));
    return row;
  }

  /** Returns the number of messages with a negative latency. */
  static long early(ClientResult client) {
    long broker = client.sinceBroker() == null ? 0 : client.sinceBroker().early();
    return Math.max(client.sinceDue().early(), broker);
  }
}
