package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.provider.BrokerSource;
import io.sluice.loadtest.broker.provider.BrokerTarget;
import io.sluice.loadtest.broker.result.CaseResult;
import io.sluice.loadtest.broker.result.TrialResult;
import io.sluice.loadtest.broker.workload.BrokerWorkload;
import io.sluice.loadtest.broker.workload.Length;
import io.sluice.loadtest.broker.workload.Persistence;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionMetaData;
import jakarta.jms.JMSException;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Runs all rows of a table, turn about and every other time backwards, so that what the machine
 * does meanwhile meets all of them. For one thread.
 */
final class Bench {
  private final Length length;
  private final Consumer<String> progress;
  private final Map<Case, List<TrialResult>> results = new HashMap<>();
  private final Map<Case, String> brokers = new HashMap<>();
  private final Map<Case, String> failures = new LinkedHashMap<>();
  private int nextRun = new SecureRandom().nextInt() & 0xffff000;

  /** A bench; {@code progress} gets lines for people. */
  Bench(Length length, Consumer<String> progress) {
    this.length = length;
    this.progress = progress;
  }

  /**
   * One result for each row, in their order, but those of which a run failed: the others go on. A
   * failure before anything was measured ends it all.
   */
  List<CaseResult> run(List<Case> cases) throws Exception {
    for (int run = 0; run < length.runs(); run++) {
      List<Case> order = new ArrayList<>(cases);
      if (run % 2 == 1) {
        Collections.reverse(order);
      }
      for (Case row : order) {
        if (!failures.containsKey(row)) {
          runUnlessItFails(row, run + 1);
        }
      }
    }
    return cases.stream()
        .filter(row -> !failures.containsKey(row))
        .map(
            row ->
                new CaseResult(
                    row.name(),
                    row.workload(),
                    row.delivery(),
                    brokers.get(row),
                    List.copyOf(results.get(row))))
        .toList();
  }

  /** Why rows have no result, each with its name. */
  List<String> failures() {
    return failures.entrySet().stream()
        .map(
            each -> each.getKey().name() + ", " + each.getKey().delivery() + ": " + each.getValue())
        .toList();
  }

  private void runUnlessItFails(Case row, int run) throws Exception {
    try {
      runOnce(row, run);
    } catch (IOException | JMSException e) {
      if (results.isEmpty()) {
        throw e;
      }
      failures.put(row, "run " + run + " failed: " + e.getMessage());
      progress.accept(row.name() + ", " + row.delivery() + ", " + failures.get(row));
    }
  }

  private void runOnce(Case row, int run) throws Exception {
    String title = "%s, %s, run %d of %d".formatted(row.name(), row.delivery(), run, length.runs());
    try (BrokerSource.Visit visit = row.site().open()) {
      if (!brokers.containsKey(row)) {
        brokers.put(row, broker(visit.target()));
      }
      Trial trial =
          new Trial(
              visit.target(),
              row.workload(),
              row.delivery(),
              length,
              nextRun++,
              interval -> progress.accept(title + ", " + text(interval)));
      results.computeIfAbsent(row, absent -> new ArrayList<>()).add(trial.run());
    }
  }

  private static String broker(BrokerTarget target) throws Exception {
    try (Connection connection = target.connect(false, "")) {
      ConnectionMetaData about = connection.getMetaData();
      return about.getJMSProviderName() + " " + about.getProviderVersion();
    }
  }

  private static String text(TrialResult.Interval interval) {
    return String.format(
        Locale.ROOT,
        "%.1f s: %,.0f sent/s, %,.0f received/s",
        interval.seconds(),
        interval.sent(),
        interval.received());
  }

  /**
   * One row of the table: a workload with a delivery mode at a broker. Immutable.
   *
   * @param name of the workload or, where brokers are compared, of the broker
   */
  record Case(String name, BrokerWorkload workload, Persistence delivery, BrokerSource site) {}
}
