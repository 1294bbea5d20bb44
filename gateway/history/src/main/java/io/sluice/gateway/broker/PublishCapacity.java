package io.sluice.gateway.broker;

import io.sluice.gateway.limits.Shares;
import java.util.function.IntConsumer;

/** Capacity for the publishes that a source has not ended, shared by users. Any thread. */
public final class PublishCapacity {
  private final IntConsumer count;
  private final Shares entries;
  private final Shares bytes;

  /**
   * @param maxEntries maximum number of publishes
   * @param maxBytes maximum bytes of these
   * @param count counts them: receives the change
   */
  public PublishCapacity(int maxEntries, long maxBytes, IntConsumer count) {
    this.count = count;
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
    count.accept(1);
    return true;
  }

  /** Releases what was reserved. */
  public void release(String user, long size) {
    entries.release(user, 1);
    bytes.release(user, size);
    count.accept(-1);
  }
}
