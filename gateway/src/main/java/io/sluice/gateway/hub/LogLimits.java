package io.sluice.gateway.hub;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.protocol.Site;

/**
 * What a topic's log may keep, and what it may conclude from it.
 *
 * @param messages most messages of a topic or pattern; 0 keeps none
 * @param bytes most bytes of these
 * @param ageMs how old they may get
 * @param keys most topics or keys of which the newest message is kept for snapshots
 * @param spreadMs by how much two nodes may receive concurrent messages in a different order
 * @param marginMs by how much the clocks of two nodes, and the delivery to them, may differ
 * @param overlap identities that a client remembers
 * @param site whose messages it has: positions of another one mean nothing here
 */
record LogLimits(
    int messages,
    long bytes,
    long ageMs,
    int keys,
    long spreadMs,
    long marginMs,
    int overlap,
    Site site) {

  static LogLimits of(Config config) {
    return new LogLimits(
        config.get(Settings.HISTORY_MESSAGES),
        config.get(Settings.HISTORY_BYTES),
        config.get(Settings.HISTORY_AGE).toMillis(),
        config.get(Settings.HISTORY_KEYS),
        config.get(Settings.RESUME_SPREAD).toMillis(),
        config.get(Settings.RESUME_MARGIN).toMillis(),
        config.get(Settings.RESUME_OVERLAP),
        Site.of(config.get(Settings.BROKER_SITE)));
  }
}
