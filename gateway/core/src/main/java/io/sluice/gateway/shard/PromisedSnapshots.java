package io.sluice.gateway.shard;

import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Announced snapshots that one event loop is sending. Above a memory limit, the oldest is cut.
 * Bound to the event loop.
 */
final class PromisedSnapshots {
  private final long maxBytes;
  private final GatewayMetrics metrics;
  private final Set<PromisedSnapshot> open = new LinkedHashSet<>();
  private long bytes;

  /**
   * Creates an empty set.
   *
   * @param maxBytes maximum bytes of all lists
   */
  PromisedSnapshots(long maxBytes, GatewayMetrics metrics) {
    this.maxBytes = maxBytes;
    this.metrics = metrics;
  }

  /** Adds a subscription to the users of a snapshot. */
  void begin(PromisedSnapshot snapshot) {
    if (snapshot.users++ == 0) {
      open.add(snapshot);
      bytes += snapshot.bytes();
      makeRoom(snapshot);
    }
  }

  private void makeRoom(PromisedSnapshot added) {
    Iterator<PromisedSnapshot> oldest = open.iterator();
    while (bytes > maxBytes) {
      PromisedSnapshot snapshot = oldest.next();
      if (snapshot == added) {
        return; // a single snapshot may exceed the limit
      }
      oldest.remove();
      bytes -= snapshot.bytes();
      snapshot.cut();
      metrics.dropped("snapshots-too-many", snapshot.users);
    }
  }

  /** Removes a subscription that has finished the snapshot or has ended. */
  void end(PromisedSnapshot snapshot) {
    if (--snapshot.users == 0 && open.remove(snapshot)) {
      bytes -= snapshot.bytes();
      snapshot.cut();
    }
  }
}
