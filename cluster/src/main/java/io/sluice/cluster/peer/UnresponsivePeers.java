package io.sluice.cluster.peer;

import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Addresses that did not answer a connection, and are skipped for a while. Any thread.
 *
 * <p>JGroups opens one connection after the other and sends to the addresses in order. Without
 * this, the messages for a peer that does not respond would delay those for all others.
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
