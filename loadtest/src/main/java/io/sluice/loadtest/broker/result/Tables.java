package io.sluice.loadtest.broker.result;

import io.sluice.loadtest.broker.workload.Persistence;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The tables of what was found. Stateless. */
final class Tables {
  private static final double MILLIS = 1e-3;

  private Tables() {}

  /** How much, how fast, and what was lost. */
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
            "repeated");
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

  /** Where the time goes, in microseconds a message. */
  static String steps(List<CaseResult> results) {
    MarkdownTable table =
        new MarkdownTable(
            "µs a message",
            "delivery",
            "make",
            "send to answer",
            "of it disk",
            "due to arrival",
            "decode",
            "acknowledge");
    for (CaseResult result : results) {
      table.row(
          List.of(
              result.name(),
              result.delivery().toString(),
              MarkdownTable.figure(result.each(run -> run.mean(MessageStep.MAKE)), 1),
              MarkdownTable.figure(result.each(TrialResult::answer), 1),
              MarkdownTable.figure(disk(result, results), 1),
              MarkdownTable.figure(result.each(run -> run.mean(MessageStep.ARRIVE)), 0),
              MarkdownTable.figure(result.each(run -> run.mean(MessageStep.DECODE)), 1),
              MarkdownTable.figure(result.each(TrialResult::acknowledge), 1)));
    }
    return table.toText();
  }

  /** How much longer the broker's answer takes than in the same run without persistence. */
  static double[] disk(CaseResult result, List<CaseResult> results) {
    CaseResult plain =
        results.stream()
            .filter(other -> other.name().equals(result.name()))
            .filter(other -> other.delivery() == Persistence.NON_PERSISTENT)
            .findFirst()
            .orElse(null);
    if (plain == null || result.delivery() == Persistence.NON_PERSISTENT) {
      return new double[] {Double.NaN};
    }
    double[] persistent = result.each(TrialResult::answer);
    double[] other = plain.each(TrialResult::answer);
    double[] difference = new double[persistent.length];
    for (int i = 0; i < difference.length; i++) {
      difference[i] = persistent[i] - other[i];
    }
    return difference;
  }

  /** What the disk can do. */
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
              figure(runs, DiskResult.Way.WRITE, block, DiskResult::mebibytesPerSecond, 0),
              figure(runs, DiskResult.Way.SYNC_GROWING, block, DiskResult::perSecond, 0),
              figure(runs, DiskResult.Way.SYNC_GROWING, block, Tables::p99, 2),
              figure(runs, DiskResult.Way.SYNC_PREALLOCATED, block, DiskResult::perSecond, 0),
              figure(runs, DiskResult.Way.SYNC_PREALLOCATED, block, Tables::p99, 2),
              figure(runs, DiskResult.Way.READ, block, DiskResult::mebibytesPerSecond, 0),
              figure(runs, DiskResult.Way.READ_DIRECT, block, DiskResult::mebibytesPerSecond, 0)));
    }
    return table.toText();
  }

  private static double p99(DiskResult result) {
    return result.times().p99() * MILLIS;
  }

  private static String figure(
      List<List<DiskResult>> runs,
      DiskResult.Way way,
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
}
