package io.sluice.gateway.broker;

import io.sluice.gateway.limits.Shares;
import io.sluice.gateway.metrics.GatewayMetrics;

/** Capacity for the publishes that wait in a source's queue, shared by users. Any thread. */
public final class PublishCapacity {
  private final GatewayMetrics metrics;
  private final Shares entries;
  private final Shares bytes;

  /**
   * @param maxEntries maximum number of waiting publishes
   * @param maxBytes maximum bytes of these
   */
  public PublishCapacity(int maxEntries, long maxBytes, GatewayMetrics metrics) {
    this.metrics = metrics;
    this.entries = new Shares(maxEntries);
    this.bytes = new Shares(maxBytes);
  }

  /** Reserves capacity for one publish. Returns false if there is none. */
  public boolean reserve(String user, long size) {
    if (!entries.take(user, 1)) {
      return false;
    }
    if (!bytes.take(user, size)) {
      entries.release(user, 1);
      return false;
    }
    metrics.publishesWaiting(1);
    return true;
  }

  /** Releases what was reserved. */
  public void release(String user, long size) {
    entries.release(user, 1);
    bytes.release(user, size);
    metrics.publishesWaiting(-1);
  }
}
