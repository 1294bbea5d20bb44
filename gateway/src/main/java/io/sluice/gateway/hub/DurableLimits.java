package io.sluice.gateway.hub;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.journal.JournalLimits;

/** What durable interests remember. Constants only. */
public final class DurableLimits {
  /** Messages by which those that the broker sends again are known; more than it sends at once. */
  static final int REMEMBERED = 4_096;

  /** Messages that are made safe at once, at most. */
  private static final int ROUND = 64;

  private DurableLimits() {}

  /**
   * What the journal keeps: as much as the logs, but not less than what may not be acknowledged
   * yet, which would otherwise be taken for new when it comes again.
   */
  public static JournalLimits of(Config config) {
    return new JournalLimits(
        Math.max(REMEMBERED, config.get(Settings.HISTORY_MESSAGES)),
        Math.max(
            ROUND * config.get(Settings.LIMIT_BROKER_MESSAGE_BYTES),
            config.get(Settings.HISTORY_BYTES)),
        config.get(Settings.HISTORY_AGE),
        config.get(Settings.JOURNAL_BYTES));
  }
}
