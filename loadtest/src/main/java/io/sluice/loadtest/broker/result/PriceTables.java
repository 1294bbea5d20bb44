package io.sluice.loadtest.broker.result;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Markdown tables of replies and of prices, empty without them. Stateless, for any thread. */
final class PriceTables {
  private static final double MILLIS = 1e-3;

  private PriceTables() {}

  /** Returns the table of requests with their latencies until the reply. */
  static String replies(List<CaseResult> results) {
    MarkdownTable table =
        new MarkdownTable(
            "requests",
            "delivery",
            "requests/s",
            "mean ms",
            "p50 ms",
            "p95 ms",
            "p99 ms",
            "p99.9 ms");
    List<CaseResult> rows = having(results, MessageStep.REPLY);
    for (CaseResult result : rows) {
      List<String> row = new ArrayList<>();
      row.add(result.name());
      row.add(result.delivery().toString());
      row.add(MarkdownTable.figure(result.each(run -> run.rates().sentPerSecond()), 0));
      for (ToDoubleFunction<DurationSummary> figure :
          List.<ToDoubleFunction<DurationSummary>>of(
              DurationSummary::mean,
              DurationSummary::p50,
              DurationSummary::p95,
              DurationSummary::p99,
              DurationSummary::p999)) {
        row.add(MarkdownTable.figure(result.each(run -> reply(run, figure) * MILLIS), 2));
      }
      table.row(row);
    }
    return rows.isEmpty() ? "" : '\n' + table.toText();
  }

  private static double reply(TrialResult run, ToDoubleFunction<DurationSummary> figure) {
    DurationSummary reply = run.steps().get(MessageStep.REPLY);
    return reply == null ? Double.NaN : figure.applyAsDouble(reply);
  }

  /** Returns the table of the steps of recorded and replayed prices. */
  static String prices(List<CaseResult> results) {
    MarkdownTable table =
        new MarkdownTable(
            "µs per price",
            "delivery",
            "read from recording",
            "serialize",
            "deserialize",
            "record");
    List<CaseResult> rows =
        results.stream().filter(result -> result.workload().type().hasPrice()).toList();
    for (CaseResult result : rows) {
      table.row(
          List.of(
              result.name(),
              result.delivery().toString(),
              figure(result, MessageStep.READ),
              figure(result, MessageStep.MAKE),
              figure(result, MessageStep.DECODE),
              figure(result, MessageStep.RECORD)));
    }
    return rows.isEmpty() ? "" : '\n' + table.toText();
  }

  private static String figure(CaseResult result, MessageStep step) {
    return MarkdownTable.figure(result.each(run -> run.mean(step)), 2);
  }

  private static List<CaseResult> having(List<CaseResult> results, MessageStep step) {
    return results.stream()
        .filter(result -> result.runs().stream().anyMatch(run -> run.steps().containsKey(step)))
        .toList();
  }
}
