package io.sluice.gateway.audit;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Shares of principals in a bounded resource. A principal may have as much as is left for all
 * others: alone half of the resource, beside n equally active ones an (n+2)th part. Clients without
 * a credential share by address. Any thread may use it; counts of concurrent calls are approximate.
 */
final class AuditShares {
  /** Principals whose names have equal hashes share; the hash has a secret multiplier. */
  private static final int SLOTS = 4096;

  private final AtomicIntegerArray used = new AtomicIntegerArray(SLOTS);
  private final int multiplier = ThreadLocalRandom.current().nextInt() | 1;

  /**
   * Takes one unit.
   *
   * @param left unused units of the resource
   */
  boolean take(AuditRecord event, long left) {
    int slot = slot(event);
    if (used.incrementAndGet(slot) <= left) {
      return true;
    }
    used.decrementAndGet(slot);
    return false;
  }

  /** Returns one unit. */
  void release(AuditRecord event) {
    used.decrementAndGet(slot(event));
  }

  /** Returns all units. */
  void reset() {
    for (int slot = 0; slot < SLOTS; slot++) {
      used.set(slot, 0);
    }
  }

  private int slot(AuditRecord event) {
    AuditLog.Client client = event.client();
    if (client == null) {
      return hash(event.by() == null ? "" : event.by().address(), 0) & SLOTS - 1;
    }
    boolean unnamed = client.subject().isEmpty() || client.mechanism().equals("anonymous");
    int hash = unnamed ? hash(client.address(), 0) : hash(client.subject(), 1);
    return (unnamed ? hash : hash(client.mechanism(), hash)) & SLOTS - 1;
  }

  private int hash(String text, int start) {
    int hash = start;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * multiplier;
      hash ^= hash >>> 15;
    }
    return hash;
  }
}
