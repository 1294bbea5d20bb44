package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.provider.BrokerSource;
import io.sluice.loadtest.broker.provider.BrokerTarget;
import io.sluice.loadtest.broker.result.CaseResult;
import io.sluice.loadtest.broker.result.JournalFiles;
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
 * Runner of all cases of a table. For one thread.
 *
 * <p>Cases alternate, in reverse order in every other round, which distributes disturbances of the
 * machine over all cases.
 */
final class Bench {
  private final Length length;
  private final Consumer<String> progress;
  private final Map<Case, List<TrialResult>> results = new HashMap<>();
  private final Map<Case, String> brokers = new HashMap<>();
  private final Map<Case, String> failures = new LinkedHashMap<>();
  private final Map<String, JournalFiles> journals = new LinkedHashMap<>();
  private int nextRun = new SecureRandom().nextInt() & 0xffff000;

  /** Creates a bench; {@code progress} receives lines for users. */
  Bench(Length length, Consumer<String> progress) {
    this.length = length;
    this.progress = progress;
  }

  /**
   * Returns one result for each case without failed runs, in order. Other cases continue after a
   * failure. A failure before the first result ends the benchmark.
   */
  List<CaseResult> run(List<Case> cases) throws Exception {
    for (int run = 0; run < length.runs(); run++) {
      List<Case> order = new ArrayList<>(cases);
      if (run % 2 == 1) {
        Collections.reverse(order);
      }
      for (Case each : order) {
        if (!failures.containsKey(each)) {
          runUnlessFailed(each, run + 1);
        }
      }
    }
    return cases.stream()
        .filter(each -> !failures.containsKey(each))
        .map(
            each ->
                new CaseResult(
                    each.name(),
                    each.workload(),
                    each.delivery(),
                    brokers.get(each),
                    List.copyOf(results.get(each))))
        .toList();
  }

  /** Returns the failures of cases without a result, with their names. */
  List<String> failures() {
    return failures.entrySet().stream()
        .map(
            each -> each.getKey().name() + ", " + each.getKey().delivery() + ": " + each.getValue())
        .toList();
  }

  /** Returns the journal files by the names of cases whose broker was started for them. */
  Map<String, JournalFiles> journals() {
    return Collections.unmodifiableMap(journals);
  }

  private void runUnlessFailed(Case each, int run) throws Exception {
    try {
      runOnce(each, run);
    } catch (IOException | JMSException e) {
      if (results.isEmpty()) {
        throw e;
      }
      failures.put(each, "run " + run + " failed: " + e.getMessage());
      progress.accept(each.name() + ", " + each.delivery() + ", " + failures.get(each));
    }
  }

  private void runOnce(Case each, int run) throws Exception {
    String title =
        "%s, %s, run %d of %d".formatted(each.name(), each.delivery(), run, length.runs());
    try (BrokerSource.Lease lease = each.site().open()) {
      if (!brokers.containsKey(each)) {
        brokers.put(each, broker(lease.target()));
      }
      Trial trial =
          new Trial(
              lease.target(),
              each.workload(),
              each.delivery(),
              length,
              nextRun++,
              interval -> progress.accept(title + ", " + text(interval)));
      int files = lease.journalFiles();
      results.computeIfAbsent(each, absent -> new ArrayList<>()).add(trial.run());
      if (files >= 0) {
        JournalFiles journal = new JournalFiles(files, lease.journalFiles() - files);
        journals.merge(each.name(), journal, JournalFiles::and);
      }
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
