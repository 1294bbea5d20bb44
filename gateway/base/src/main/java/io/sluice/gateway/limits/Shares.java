package io.sluice.gateway.limits;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Shares of users in a bounded pool, such as of threads, queued tasks or bytes. A user may have as
 * much as is left for all others: alone half of the pool, next to n equally greedy ones an (n+2)th
 * part. A user without units may always take what is free; so may the {@linkplain #NODE node}. Any
 * thread may use it; concurrent calls see approximate numbers, but never exceed the pool.
 */
public final class Shares {
  /** Key of the node itself. */
  public static final String NODE = "";

  private final long max;
  private final AtomicLong used = new AtomicLong();
  private final Map<String, Long> byUser = new ConcurrentHashMap<>();

  /** Creates an unused pool; {@code max} is the number of its units. */
  public Shares(long max) {
    this.max = max;
  }

  /** Takes units, all or none. Returns false if the pool or the user's share is exhausted. */
  public boolean take(String user, long units) {
    long left = max - used.addAndGet(units);
    if (left >= 0) {
      if (isShare(user, byUser.merge(user, units, Long::sum), units, left)) {
        return true;
      }
      remove(user, units);
    }
    used.addAndGet(-units);
    return false;
  }

  /** Returns whether {@link #take} would take units now. */
  public boolean isFree(String user, long units) {
    long left = max - used.get() - units;
    return left >= 0 && isShare(user, byUser.getOrDefault(user, 0L) + units, units, left);
  }

  private static boolean isShare(String user, long own, long units, long left) {
    return own <= left || own == units || user.equals(NODE);
  }

  /** Returns units that were taken. */
  public void release(String user, long units) {
    remove(user, units);
    used.addAndGet(-units);
  }

  private void remove(String user, long units) {
    byUser.computeIfPresent(user, (name, own) -> own == units ? null : own - units);
  }

  /** Returns the number of all units. */
  public long max() {
    return max;
  }

  /** Returns the units that are taken. */
  public long used() {
    return used.get();
  }

  /** Returns all units. Not together with other calls. */
  public void reset() {
    byUser.clear();
    used.set(0);
  }
}
