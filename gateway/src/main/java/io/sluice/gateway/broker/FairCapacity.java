package io.sluice.gateway.broker;

import java.util.HashMap;
import java.util.Map;

/**
 * Bounded capacity, in tasks or bytes, of which one user has at most half, or a single larger item.
 * Only the node itself, with an empty key, may have all. Any thread; each call holds a lock for a
 * moment.
 */
public final class FairCapacity {
  private final long max;
  private final Map<String, Long> users = new HashMap<>();
  private long all;

  /**
   * @param max maximum for all users, at least 2
   */
  public FairCapacity(long max) {
    this.max = max;
  }

  /** Acquires capacity for one task. */
  public boolean acquire(String user) {
    return acquire(user, 1);
  }

  /**
   * Acquires capacity for a user. Returns false if there is too little left, or if it would exceed
   * the user's half.
   */
  public synchronized boolean acquire(String user, long amount) {
    long own = users.getOrDefault(user, 0L);
    if (all + amount > max || (own > 0 && own + amount > max / 2 && !user.isEmpty())) {
      return false;
    }
    all += amount;
    users.put(user, own + amount);
    return true;
  }

  /** A task of a user has ended. */
  public void release(String user) {
    release(user, 1);
  }

  /** Releases what {@link #acquire(String, long)} acquired. */
  public synchronized void release(String user, long amount) {
    all -= amount;
    users.computeIfPresent(user, (key, own) -> own == amount ? null : own - amount);
  }
}
