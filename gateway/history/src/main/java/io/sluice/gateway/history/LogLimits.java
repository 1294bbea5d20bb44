package io.sluice.gateway.history;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.protocol.Site;

/**
 * Retention limits of a topic log, and tolerances for a resume from it. Immutable and safe for any
 * thread.
 *
 * @param messages maximum number of messages of a topic or pattern; 0 disables retention
 * @param bytes maximum bytes of these messages
 * @param ageMs age at which these messages are evicted
 * @param keys maximum number of topics or keys whose newest message is stored for snapshots
 * @param spreadMs maximum reordering of concurrent messages between two nodes
 * @param marginMs maximum difference of two nodes' clocks and of the delivery to them
 * @param overlap number of message identities that a client remembers
 * @param site site of the broker; positions of another site are invalid here
 */
public record LogLimits(
    int messages,
    long bytes,
    long ageMs,
    int keys,
    long spreadMs,
    long marginMs,
    int overlap,
    Site site) {

  /** Reads the limits from the configuration. */
  public static LogLimits of(Config config) {
    return new LogLimits(
        config.get(HistorySettings.MESSAGES),
        config.get(HistorySettings.BYTES),
        config.get(HistorySettings.AGE).toMillis(),
        config.get(HistorySettings.KEYS),
        config.get(HistorySettings.RESUME_SPREAD).toMillis(),
        config.get(HistorySettings.RESUME_MARGIN).toMillis(),
        config.get(HistorySettings.RESUME_OVERLAP),
        Site.of(config.get(BrokerSettings.SITE)));
  }
}
