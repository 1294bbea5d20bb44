package io.sluice.cluster.peer;

import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Addresses that did not respond to a connection, and are skipped for {@link #PAUSE_NS}. For any
 * thread.
 *
 * <p>JGroups opens connections and sends messages sequentially. Without this class, messages for a
 * peer that does not respond would delay those for all others.
 */
final class UnresponsivePeers {
  private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(8);

  private final LongSupplier nanoTime;
  private final Map<SocketAddress, Long> sinceNs = new HashMap<>();

  UnresponsivePeers(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  synchronized void add(SocketAddress address) {
    sinceNs.put(address, nanoTime.getAsLong());
  }

  synchronized boolean has(SocketAddress address) {
    long now = nanoTime.getAsLong();
    sinceNs.values().removeIf(since -> now - since >= PAUSE_NS);
    return sinceNs.containsKey(address);
  }
}
