package io.sluice.gateway.admission;

import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.limits.QuotaLimits.Limit;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.socket.AcceptedConnection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Quota for pending handshakes per client address, equal to its quota for connections. For any
 * thread.
 *
 * <p>At the limit, a new connection of the address is accepted, and the oldest pending one is
 * closed, on whichever event loop it is. Silent connections of an address therefore do not block
 * its other clients. A {@code Quota} does not fit: it rejects the newest connection. Pending
 * handshakes are counted separately from connections, because a client past its quota for
 * connections must receive a reason. There are never more addresses here than pending connections.
 */
public final class HandshakeQuota {
  /** Slot of all connections that are not counted. */
  private static final Slot UNCOUNTED = new Slot("", null, null);

  private final Map<String, Set<Slot>> slotsByAddress = new ConcurrentHashMap<>();
  private final AtomicLong proxied = new AtomicLong();
  private final ClientAddresses addresses;
  private final GatewayMetrics metrics;
  private final Limit limit;

  /**
   * @param limit of the pending handshakes of each address
   */
  public HandshakeQuota(ClientAddresses addresses, Limit limit, GatewayMetrics metrics) {
    this.addresses = addresses;
    this.metrics = metrics;
    this.limit = limit;
  }

  /** Slot of one pending connection. Immutable; equal to itself only. */
  static final class Slot {
    private final String address;
    private final AcceptedConnection connection;
    private final Runnable onEvicted;

    private Slot(String address, AcceptedConnection connection, Runnable onEvicted) {
      this.address = address;
      this.connection = connection;
      this.onEvicted = onEvicted;
    }
  }

  /**
   * Acquires a slot for a connection whose source address is determined. If the address has no free
   * slot, its oldest connection is evicted.
   *
   * @param onEvicted closes this connection; called on its event loop, possibly after {@link
   *     #release}
   * @return the slot, to be released once by {@link #release}
   */
  Slot acquire(AcceptedConnection connection, Runnable onEvicted) {
    Optional<String> address =
        !limit.isSet() ? Optional.empty() : addresses.beforeRequest(connection);
    return address.isEmpty()
        ? UNCOUNTED
        : acquire(new Slot(AddressRange.network(address.get()), connection, onEvicted));
  }

  /**
   * Returns the name under which a connection is grouped: its address, or a unique name if its
   * address is that of a trusted proxy, which clients share.
   */
  String name(AcceptedConnection connection) {
    return addresses
        .beforeRequest(connection)
        .map(AddressRange::network)
        .orElseGet(() -> "proxied " + proxied.incrementAndGet());
  }

  private Slot acquire(Slot slot) {
    Slot[] evicted = {null};
    slotsByAddress.compute(
        slot.address,
        (name, present) -> {
          Set<Slot> slots = present == null ? new LinkedHashSet<>() : present;
          evicted[0] = slots.size() < limit.max() ? null : removeOldest(slots);
          slots.add(slot);
          return slots;
        });
    if (evicted[0] != null) {
      metrics.limitReached(limit.key());
      evict(evicted[0]);
    }
    return slot;
  }

  private static Slot removeOldest(Set<Slot> slots) {
    Iterator<Slot> oldest = slots.iterator();
    Slot removed = oldest.next();
    oldest.remove();
    return removed;
  }

  // The slot is already free, so the time at which the other event loop closes the connection is
  // irrelevant.
  private static void evict(Slot slot) {
    try {
      slot.connection.execute(slot.onEvicted);
    } catch (RejectedExecutionException stopping) {
      // The event loop has ended, and so have its connections.
    }
  }

  /** Releases a slot. Has no effect if the slot was evicted. */
  void release(Slot slot) {
    if (slot != UNCOUNTED) {
      slotsByAddress.computeIfPresent(
          slot.address,
          (name, slots) -> {
            slots.remove(slot);
            return slots.isEmpty() ? null : slots;
          });
    }
  }

  /** Returns the number of addresses that are counted. */
  int size() {
    return slotsByAddress.size();
  }
}
