package io.sluice.gateway.shard;

import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The snapshots that one event loop is replaying, within a limit: past it the oldest is cut off.
 * Bound to the loop.
 */
final class Replays {
  private final long mostBytes;
  private final GatewayMetrics metrics;
  private final Set<Replay> open = new LinkedHashSet<>();
  private long bytes;

  /**
   * @param mostBytes of all lists together
   */
  Replays(long mostBytes, GatewayMetrics metrics) {
    this.mostBytes = mostBytes;
    this.metrics = metrics;
  }

  /** One more subscription is sent this replay. */
  void begin(Replay replay) {
    if (replay.users++ == 0) {
      open.add(replay);
      bytes += replay.bytes();
      makeRoom(replay);
    }
  }

  private void makeRoom(Replay added) {
    Iterator<Replay> oldest = open.iterator();
    while (bytes > mostBytes) {
      Replay replay = oldest.next();
      if (replay == added) {
        return; // a single one may be larger
      }
      oldest.remove();
      bytes -= replay.bytes();
      replay.cut();
      metrics.dropped("snapshots-too-many", replay.users);
    }
  }

  /** A subscription has been sent all of it, or has ended. */
  void end(Replay replay) {
    if (--replay.users == 0 && open.remove(replay)) {
      bytes -= replay.bytes();
      replay.cut();
    }
  }
}
