package io.sluice.gateway.presence;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;

/**
 * Options of presence. Immutable.
 *
 * @param node name of this node
 * @param members number of members of a topic above which only their count is known
 * @param graceMs time for which a disconnected member remains
 * @param intervalMs minimum interval of the changes of a topic
 * @param lostMs time after which a node that has disappeared is forgotten
 * @param maxAbsences maximum number of members in their grace time
 * @param maxEntries maximum number of listed members, and of topics without a list, per node
 * @param partsPerTick number of messages with parts of the state that a node is sent in one tick
 * @param maxQueued maximum number of requests of clients that wait for the presence thread
 */
public record PresenceOptions(
    String node,
    int members,
    long graceMs,
    long intervalMs,
    long lostMs,
    int maxAbsences,
    int maxEntries,
    int partsPerTick,
    int maxQueued) {
  private static final long INTERVAL_MS = 500;
  private static final long LOST_MS = 3_600_000;
  private static final int MAX_ABSENCES = 100_000;
  private static final int MAX_ENTRIES = 4_000_000;
  private static final int PARTS_PER_TICK = 8;
  private static final int MAX_QUEUED = 100_000;

  /**
   * Returns the time for which this node retains a disconnected member. Other nodes must learn of a
   * return at the end of the grace time before the member leaves here.
   */
  long absenceMs() {
    return graceMs == 0 ? 0 : graceMs + 2 * intervalMs;
  }

  /** Returns the options of a configuration. */
  public static PresenceOptions of(Config config, String node) {
    return new PresenceOptions(
        node,
        config.get(LimitSettings.PRESENCE_MEMBERS),
        config.get(TopicSettings.PRESENCE_GRACE).toMillis(),
        INTERVAL_MS,
        LOST_MS,
        MAX_ABSENCES,
        MAX_ENTRIES,
        PARTS_PER_TICK,
        MAX_QUEUED);
  }
}
