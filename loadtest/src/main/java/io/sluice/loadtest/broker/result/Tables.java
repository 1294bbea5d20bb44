package io.sluice.loadtest.broker.result;

import io.sluice.loadtest.broker.workload.Persistence;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Markdown tables of results. Stateless, for any thread. */
final class Tables {
  private static final double MILLIS = 1e-3;

  private Tables() {}

  /** Returns the table of rates, latencies and losses. */
  static String rates(List<CaseResult> results) {
    MarkdownTable table =
        new MarkdownTable(
            "workload",
            "delivery",
            "sent/s",
            "received/s",
            "p50 ms",
            "p99 ms",
            "p99.9 ms",
            "backlog",
            "lost",
            "duplicates");
    for (CaseResult result : results) {
      table.row(
          List.of(
              result.name(),
              result.delivery().toString(),
              MarkdownTable.figure(result.each(run -> run.rates().sentPerSecond()), 0),
              MarkdownTable.figure(result.each(run -> run.rates().receivedPerSecond()), 0),
              latency(result, DurationSummary::p50),
              latency(result, DurationSummary::p99),
              latency(result, DurationSummary::p999),
              String.valueOf(
                  result.runs().stream().mapToLong(r -> r.rates().backlog()).max().orElse(0)),
              lost(result),
              String.valueOf(result.runs().stream().mapToLong(TrialResult::repeated).sum())));
    }
    return table.toText();
  }

  private static String latency(CaseResult result, ToDoubleFunction<DurationSummary> figure) {
    return MarkdownTable.figure(
        result.each(
            run -> {
              DurationSummary latency = run.steps().get(MessageStep.LATENCY);
              return latency == null ? Double.NaN : figure.applyAsDouble(latency) * MILLIS;
            }),
        2);
  }

  private static String lost(CaseResult result) {
    return result.runs().stream().anyMatch(run -> run.lost() == null)
        ? "–"
        : String.valueOf(result.runs().stream().mapToLong(TrialResult::lost).sum());
  }

  /**
   * Returns the table of durations per step, in microseconds per message. It has a column for the
   * disk if the broker stored messages of any result, and its part of their time is known.
   */
  static String steps(List<CaseResult> results) {
    boolean disk = results.stream().anyMatch(r -> Double.isFinite(disk(r, results)[0]));
    MarkdownTable table = new MarkdownTable(stepColumns(disk).toArray(String[]::new));
    for (CaseResult result : results) {
      List<String> row = new ArrayList<>();
      row.add(result.name());
      row.add(result.delivery().toString());
      row.add(MarkdownTable.figure(result.each(run -> run.mean(MessageStep.MAKE)), 1));
      row.add(MarkdownTable.figure(result.each(TrialResult::confirmation), 1));
      if (disk) {
        row.add(MarkdownTable.figure(disk(result, results), 1));
      }
      row.add(MarkdownTable.figure(result.each(run -> run.mean(MessageStep.ARRIVE)), 0));
      row.add(MarkdownTable.figure(result.each(run -> run.mean(MessageStep.DECODE)), 1));
      row.add(MarkdownTable.figure(result.each(TrialResult::acknowledge), 1));
      table.row(row);
    }
    return table.toText();
  }

  private static List<String> stepColumns(boolean disk) {
    List<String> names = new ArrayList<>(List.of("µs per message", "delivery", "create"));
    names.add("send to confirmation");
    if (disk) {
      names.add("disk part");
    }
    names.addAll(List.of("due to receipt", "decode", "acknowledge"));
    return names;
  }

  /**
   * Returns the additional confirmation time of persistent messages compared with non-persistent
   * messages in the same run; NaN if it is unknown, or the broker does not store the messages.
   */
  static double[] disk(CaseResult result, List<CaseResult> results) {
    CaseResult plain =
        results.stream()
            .filter(other -> other.name().equals(result.name()))
            .filter(other -> other.delivery() == Persistence.NON_PERSISTENT)
            .findFirst()
            .orElse(null);
    boolean stored = result.delivery() == Persistence.PERSISTENT && result.workload().storable();
    if (plain == null || !stored) {
      return new double[] {Double.NaN};
    }
    double[] persistent = result.each(TrialResult::confirmation);
    double[] other = plain.each(TrialResult::confirmation);
    double[] difference = new double[persistent.length];
    for (int i = 0; i < difference.length; i++) {
      difference[i] = persistent[i] - other[i];
    }
    return difference;
  }

  /** Returns the table of the disk benchmark. */
  static String disk(List<List<DiskResult>> runs) {
    MarkdownTable table =
        new MarkdownTable(
            "block",
            "written MiB/s",
            "synced/s, growing",
            "p99 ms",
            "synced/s, preallocated",
            "p99 ms",
            "read MiB/s",
            "read direct MiB/s");
    for (int block : DiskResult.BLOCKS) {
      table.row(
          List.of(
              block + " B",
              figure(runs, DiskResult.Access.WRITE, block, DiskResult::mebibytesPerSecond, 0),
              figure(runs, DiskResult.Access.SYNC_GROWING, block, DiskResult::perSecond, 0),
              figure(runs, DiskResult.Access.SYNC_GROWING, block, Tables::p99, 2),
              figure(runs, DiskResult.Access.SYNC_PREALLOCATED, block, DiskResult::perSecond, 0),
              figure(runs, DiskResult.Access.SYNC_PREALLOCATED, block, Tables::p99, 2),
              figure(runs, DiskResult.Access.READ, block, DiskResult::mebibytesPerSecond, 0),
              figure(
                  runs, DiskResult.Access.READ_DIRECT, block, DiskResult::mebibytesPerSecond, 0)));
    }
    return table.toText();
  }

  private static double p99(DiskResult result) {
    return result.times().p99() * MILLIS;
  }

  private static String figure(
      List<List<DiskResult>> runs,
      DiskResult.Access way,
      int block,
      ToDoubleFunction<DiskResult> figure,
      int decimals) {
    double[] samples =
        runs.stream()
            .flatMap(List::stream)
            .filter(result -> result.way() == way && result.block() == block)
            .mapToDouble(figure)
            .toArray();
    return samples.length == 0 ? "–" : MarkdownTable.figure(samples, decimals);
  }

  /** Returns the table of journal files. */
  static String journals(Map<String, JournalFiles> journals) {
    MarkdownTable table =
        new MarkdownTable("journal", "files before a run", "created during a run, at most");
    journals.forEach(
        (name, files) ->
            table.row(
                List.of(name, String.valueOf(files.before()), String.valueOf(files.created()))));
    return table.toText();
  }
}
