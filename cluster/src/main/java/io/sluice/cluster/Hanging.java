package io.sluice.cluster;

import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Addresses that have let somebody wait for a connection, and are left alone for a while. Any
 * thread may call it.
 *
 * <p>JGroups makes one connection after the other, and sends to each address in order: without
 * this, the messages that wait for one that hangs would try it by turns, and nobody else would have
 * a turn.
 */
final class Hanging {
  private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(8);

  private final LongSupplier nanoTime;
  private final Map<SocketAddress, Long> sinceNs = new HashMap<>();

  Hanging(LongSupplier nanoTime) {
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
