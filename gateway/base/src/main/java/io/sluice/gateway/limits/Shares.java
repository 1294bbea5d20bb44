package io.sluice.gateway.limits;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Shares of users in a bounded pool, such as of threads, queued tasks or bytes. A user may have as
 * much as is left for all others: alone half of the pool, next to n equally greedy ones an (n+2)th
 * part. A user without units may always take what is free; so may the {@linkplain #NODE node}. The
 * same applies to {@linkplain UserKey groups}, and within each group to its users and what it has
 * left. Any thread may use it; concurrent calls see approximate numbers, but never exceed the pool.
 */
public final class Shares {
  /** Key of the node itself. */
  public static final String NODE = "";

  private final long max;
  private final AtomicLong used = new AtomicLong();

  /** Units by user, and by group. */
  private final Map<String, Long> byUser = new ConcurrentHashMap<>();

  /** Creates an unused pool; {@code max} is the number of its units. */
  public Shares(long max) {
    this.max = max;
  }

  /** Takes units, all or none. Returns false if the pool or a share is exhausted. */
  public boolean take(String user, long units) {
    long left = max - used.addAndGet(units);
    if (left >= 0) {
      add(user, units);
      if (isShare(user, 0, units, left)) {
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
    return left >= 0 && isShare(user, units, units, left);
  }

  /**
   * Returns whether no share is exceeded.
   *
   * @param added units that the map does not contain yet
   */
  private boolean isShare(String user, long added, long units, long left) {
    if (user.equals(NODE)) {
      return true;
    }
    long rest = left;
    for (int end = UserKey.end(user, 0); ; end = UserKey.end(user, end + 1)) {
      long own = byUser.getOrDefault(user.substring(0, end), 0L) + added;
      if (own > rest && own != units) {
        return false;
      }
      rest -= own;
      if (end == user.length()) {
        return true;
      }
    }
  }

  private void add(String user, long units) {
    for (int end = UserKey.end(user, 0); ; end = UserKey.end(user, end + 1)) {
      byUser.merge(user.substring(0, end), units, Long::sum);
      if (end == user.length()) {
        return;
      }
    }
  }

  /** Returns units that were taken. */
  public void release(String user, long units) {
    remove(user, units);
    used.addAndGet(-units);
  }

  private void remove(String user, long units) {
    for (int end = UserKey.end(user, 0); ; end = UserKey.end(user, end + 1)) {
      byUser.computeIfPresent(
          user.substring(0, end), (name, own) -> own == units ? null : own - units);
      if (end == user.length()) {
        return;
      }
    }
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
