package io.sluice.gateway.auth;

import java.util.LinkedHashMap;
import java.util.Map;

/** Values for a while, up to a number: the one not asked for the longest gives way. One thread. */
final class ExpiringCache<K, V> {
  private final Map<K, Timed<V>> entries;

  private record Timed<V>(V value, long untilMs) {}

  ExpiringCache(int most) {
    this.entries =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1;

          @Override
          protected boolean removeEldestEntry(Map.Entry<K, Timed<V>> eldest) {
            return size() > most;
          }
        };
  }

  /** The value, or null if there is none any more. */
  V get(K key, long nowMs) {
    Timed<V> entry = entries.get(key);
    if (entry == null) {
      return null;
    }
    if (nowMs >= entry.untilMs()) {
      entries.remove(key);
      return null;
    }
    return entry.value();
  }

  void put(K key, V value, long untilMs) {
    entries.put(key, new Timed<>(value, untilMs));
  }

  int size() {
    return entries.size();
  }
}
