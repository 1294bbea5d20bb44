package io.sluice.gateway.journal;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.hub.HubLimits;
import java.time.Duration;

/**
 * Retention limits of a journal. The first three apply to each topic, whose oldest messages are
 * dropped first. Immutable and safe for any thread.
 *
 * @param messages maximum number of messages of a topic
 * @param bytes maximum bytes of a topic's messages, including an overhead of about 70 bytes each
 * @param age retention time of a message after its arrival
 * @param folderBytes bytes of all files above which the largest logs are truncated; one write may
 *     exceed it temporarily by a few MiB per topic
 */
public record JournalLimits(long messages, long bytes, Duration age, long folderBytes) {
  /** Maximum number of messages written to the journal at once. */
  private static final int JOURNAL_BATCH = 64;

  /** Rejects limits with which nothing would be stored. */
  public JournalLimits {
    if (messages < 1 || bytes < 1 || folderBytes < 1 || age.isNegative() || age.isZero()) {
      throw new IllegalArgumentException(
          "journal limits must be positive: messages "
              + messages
              + ", bytes "
              + bytes
              + ", age "
              + age
              + ", folder bytes "
              + folderBytes);
    }
  }

  /**
   * Returns the limits of the journal: those of the logs, but at least the messages that may be
   * unacknowledged. Otherwise the node would not recognize them when the broker redelivers them.
   */
  public static JournalLimits of(Config config) {
    return new JournalLimits(
        Math.max(HubLimits.REDELIVERY_WINDOW, config.get(HistorySettings.MESSAGES)),
        Math.max(
            JOURNAL_BATCH * config.get(LimitSettings.BROKER_MESSAGE_BYTES),
            config.get(HistorySettings.BYTES)),
        config.get(HistorySettings.AGE),
        config.get(HistorySettings.JOURNAL_BYTES));
  }
}
