package io.sluice.gateway.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** What must hold of the journal and of durable interests. Used once, by one thread. */
final class DurableRules {
  private final Findings findings;
  private final Config config;

  DurableRules(Findings findings) {
    this.findings = findings;
    this.config = findings.config();
  }

  void check() {
    checkJournal();
    checkDurable();
  }

  private void checkJournal() {
    try {
      Path.of(config.get(HistorySettings.JOURNAL_FOLDER));
    } catch (InvalidPathException malformed) {
      findings.report(
          "is no path: " + malformed.getReason(), "a folder", HistorySettings.JOURNAL_FOLDER);
    }
  }

  private void checkDurable() {
    if (config.get(BrokerSettings.DURABLE).isEmpty()) {
      return;
    }
    if (config.get(BrokerSettings.CLIENT_ID).isEmpty()) {
      findings.report(
          "is empty, but broker.durable needs it",
          "a name that no other node has and that stays",
          BrokerSettings.CLIENT_ID,
          BrokerSettings.DURABLE);
    }
    if (config.get(HistorySettings.JOURNAL_FOLDER).isEmpty()) {
      findings.report(
          "is empty, but broker.durable needs it",
          "a folder on a local disk",
          HistorySettings.JOURNAL_FOLDER,
          BrokerSettings.DURABLE);
    }
    findings.atLeastTwice(
        HistorySettings.RESUME_MARGIN,
        HistorySettings.RESUME_SPREAD,
        ", and broker.durable needs as much");
    if (config.get(HistorySettings.MESSAGES) == 0) {
      findings.report(
          "0 keeps nothing, but broker.durable needs a log",
          "1 or more",
          HistorySettings.MESSAGES,
          BrokerSettings.DURABLE);
    }
  }
}
