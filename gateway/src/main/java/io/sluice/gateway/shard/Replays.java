package io.sluice.gateway.shard;

import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Snapshots that one event loop is replaying, within a memory limit: above it the oldest is cut.
 * Bound to the event loop.
 */
final class Replays {
  private final long maxBytes;
  private final GatewayMetrics metrics;
  private final Set<Replay> open = new LinkedHashSet<>();
  private long bytes;

  /**
   * Creates an empty set of replays.
   *
   * @param maxBytes maximum bytes of all lists
   */
  Replays(long maxBytes, GatewayMetrics metrics) {
    this.maxBytes = maxBytes;
    this.metrics = metrics;
  }

  /** Adds a subscription to the users of a replay. */
  void begin(Replay replay) {
    if (replay.users++ == 0) {
      open.add(replay);
      bytes += replay.bytes();
      makeRoom(replay);
    }
  }

  private void makeRoom(Replay added) {
    Iterator<Replay> oldest = open.iterator();
    while (bytes > maxBytes) {
      Replay replay = oldest.next();
      if (replay == added) {
        return; // a single replay may exceed the limit
      }
      oldest.remove();
      bytes -= replay.bytes();
      replay.cut();
      metrics.dropped("snapshots-too-many", replay.users);
    }
  }

  /** Removes a subscription that has finished the replay or has ended. */
  void end(Replay replay) {
    if (--replay.users == 0 && open.remove(replay)) {
      bytes -= replay.bytes();
      replay.cut();
    }
  }
}
