package io.sluice.gateway.auth;

import java.util.LinkedHashMap;
import java.util.Map;

/** LRU cache whose entries expire. Not thread-safe. */
final class ExpiringCache<K, V> {
  private final Map<K, Timed<V>> entries;

  private record Timed<V>(V value, long expiresMs) {}

  ExpiringCache(int maxEntries) {
    this.entries =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1;

          @Override
          protected boolean removeEldestEntry(Map.Entry<K, Timed<V>> eldest) {
            return size() > maxEntries;
          }
        };
  }

  /** Returns the value, or null if it is absent or expired. */
  V get(K key, long nowMs) {
    Timed<V> entry = entries.get(key);
    if (entry == null) {
      return null;
    }
    if (nowMs >= entry.expiresMs()) {
      entries.remove(key);
      return null;
    }
    return entry.value();
  }

  void put(K key, V value, long expiresMs) {
    entries.put(key, new Timed<>(value, expiresMs));
  }

  int size() {
    return entries.size();
  }
}
