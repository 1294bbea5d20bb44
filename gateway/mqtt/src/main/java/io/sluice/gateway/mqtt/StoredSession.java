package io.sluice.gateway.mqtt;

import java.util.List;

/**
 * Session of a client that is not connected: its subscriptions with their positions. Immutable, for
 * any thread.
 *
 * @param lastPacketId packet identifier that was used last
 */
record StoredSession(List<StoredFilter> filters, int lastPacketId) {
  private static final int SESSION_BYTES = 256;

  /** Returns an estimate of the bytes on the heap. */
  long bytes() {
    return SESSION_BYTES + filters.stream().mapToLong(StoredFilter::bytes).sum();
  }
}
