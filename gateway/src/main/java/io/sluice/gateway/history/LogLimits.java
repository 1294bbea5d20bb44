package io.sluice.gateway.history;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.protocol.Site;

/**
 * Limits of a topic log, and what a resume from it depends on.
 *
 * @param messages most messages that a topic or pattern keeps; 0 keeps none
 * @param bytes most bytes of these
 * @param ageMs age at which these are discarded
 * @param keys most topics or keys of which the newest message is kept for snapshots
 * @param spreadMs difference in the order in which two nodes may receive concurrent messages
 * @param marginMs difference of the clocks of two nodes, and of the delivery to them
 * @param overlap identities that a client remembers
 * @param site site of the broker: positions of another one have no meaning here
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
