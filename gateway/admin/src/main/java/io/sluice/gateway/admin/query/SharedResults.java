package io.sluice.gateway.admin.query;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Results of recent queries by their keys, for equal queries within a short time. Bound to the
 * admin event loop.
 *
 * @param <R> type of a result, which may still be pending
 */
final class SharedResults<R> {
  /** Maximum number of results; the oldest one is removed above it. */
  static final int MAX_RESULTS = 16;

  private final long maxAgeNs;
  private final LongSupplier nanoTime;

  /** The oldest first. */
  private final Map<Object, Started<R>> results = new LinkedHashMap<>();

  private record Started<R>(R result, long startedNs) {}

  /**
   * @param maxAgeNs maximum age of a result since the start of its query
   */
  SharedResults(long maxAgeNs, LongSupplier nanoTime) {
    this.maxAgeNs = maxAgeNs;
    this.nanoTime = nanoTime;
  }

  /** Returns the result of an equal query, or null. */
  R find(Object key) {
    removeOld();
    Started<R> found = results.get(key);
    return found == null ? null : found.result;
  }

  /** Adds the result of a query that starts now. */
  void add(Object key, R result) {
    results.remove(key);
    results.put(key, new Started<>(result, nanoTime.getAsLong()));
    removeOld();
  }

  /** Removes the results that are too old or too many. */
  void removeOld() {
    long nowNs = nanoTime.getAsLong();
    Iterator<Started<R>> oldest = results.values().iterator();
    while (oldest.hasNext()) {
      if (nowNs - oldest.next().startedNs < maxAgeNs && results.size() <= MAX_RESULTS) {
        return;
      }
      oldest.remove();
    }
  }

  /** Removes all results, because the state of clients or topics may have changed. */
  void clear() {
    results.clear();
  }
}
