package io.sluice.cluster.replica;

import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

/**
 * Copy of the entries of one other node. Bound to the thread of its map.
 *
 * <p>A change is applied if the copy has the revision before it. Otherwise all entries are
 * requested. Each part of the reply replaces its range of keys, and has the revision of the time
 * when it was sent. In between, changes are applied. A part whose revision is not that of the copy
 * reveals a missed change, too. A message that was reordered or duplicated therefore never replaces
 * a value by an older one.
 */
final class ReplicaCopy<K extends Comparable<K>, V> {
  /** Time after which a request is repeated. */
  static final long TIMEOUT_MS = 5_000;

  /** Time after which the entries of a silent new node are requested. */
  static final long FIRST_TIMEOUT_MS = 1_000;

  private static final long NONE = 0;

  private final int maxEntries;
  private final BiConsumer<K, V> listener;
  private final LongSupplier requests;
  private final NavigableMap<K, V> entries = new TreeMap<>();
  private long revision;
  private boolean known;
  private boolean leaving;

  /** True if an entry exceeded the limit. */
  private boolean truncated;

  /** Id of the pending request. */
  private long sync = NONE;

  /** Time of the latest request or part. */
  private long lastMs;

  /** Number of received parts. */
  private int parts;

  /** Last key of the latest part; null before the first one. */
  private K cursor;

  /**
   * @param listener receives changes; the value is null for a removed key
   * @param requests requests all entries; returns the id of the request
   */
  ReplicaCopy(int maxEntries, BiConsumer<K, V> listener, LongSupplier requests, long nowMs) {
    this.maxEntries = maxEntries;
    this.listener = listener;
    this.requests = requests;
    this.lastMs = nowMs - TIMEOUT_MS + FIRST_TIMEOUT_MS;
  }

  NavigableMap<K, V> entries() {
    return Collections.unmodifiableNavigableMap(entries);
  }

  /** Returns whether the copy has all entries, as far as is known. */
  boolean isCurrent() {
    return known && sync == NONE && !truncated;
  }

  /** Returns whether the owner has announced that it leaves. */
  boolean isLeaving() {
    return leaving;
  }

  void onMessage(ReplicaMessage<K, V> message, long nowMs) {
    switch (message.kind()) {
      case CHANGE -> onChange(message, nowMs);
      case DIGEST -> advance(message.revision(), message.revision(), nowMs);
      case PART, LAST_PART -> onPart(message, nowMs);
      case LEAVE -> leaving = true;
      case REQUEST -> throw new IllegalArgumentException("the copy receives no request");
    }
  }

  private void onChange(ReplicaMessage<K, V> change, long nowMs) {
    if (advance(change.revision() - 1, change.revision(), nowMs)) {
      NavigableMap<K, V> received = change.entries();
      received.keySet().stream().filter(key -> received.get(key) == null).forEach(this::remove);
      received.forEach(this::set); // now there is room
    }
  }

  /**
   * Handles a revision of the owner. Returns whether it follows the copy's one. Until its first
   * part, the reply to a request will contain all changes.
   */
  private boolean advance(long base, long next, long nowMs) {
    known = true;
    if (next <= revision || sync != NONE && parts == 0) {
      return false;
    }
    if (base != revision) {
      request(nowMs);
      return false;
    }
    revision = next;
    return true;
  }

  private void request(long nowMs) {
    lastMs = nowMs;
    parts = 0;
    cursor = null;
    truncated = false;
    sync = requests.getAsLong();
  }

  private void onPart(ReplicaMessage<K, V> part, long nowMs) {
    boolean last = part.kind() == ReplicaMessage.Kind.LAST_PART;
    if (part.sync() != sync || part.index() < parts || !follows(part.entries(), last)) {
      return;
    }
    if (part.index() > parts || parts > 0 && part.revision() != revision) {
      request(nowMs);
      return;
    }
    known = true;
    lastMs = nowMs;
    parts++;
    revision = part.revision();
    replace(part.entries(), last);
    if (last) {
      sync = NONE;
    } else {
      cursor = part.entries().lastKey();
    }
  }

  private boolean follows(NavigableMap<K, V> part, boolean last) {
    return part.isEmpty() ? last : cursor == null || part.firstKey().compareTo(cursor) > 0;
  }

  /** Replaces the entries after the cursor, up to the last key of a part unless it is the last. */
  private void replace(NavigableMap<K, V> part, boolean last) {
    NavigableMap<K, V> range = cursor == null ? entries : entries.tailMap(cursor, false);
    if (!last) {
      range = range.headMap(part.lastKey(), true);
    }
    List.copyOf(range.keySet()).stream()
        .filter(key -> !part.containsKey(key))
        .forEach(this::remove);
    part.forEach(this::set);
  }

  private void remove(K key) {
    if (entries.remove(key) != null) {
      listener.accept(key, null);
    }
  }

  private void set(K key, V value) {
    if (value == null) {
      remove(key);
    } else if (entries.size() >= maxEntries && !entries.containsKey(key)) {
      truncated = true;
    } else if (!Objects.equals(entries.put(key, value), value)) {
      listener.accept(key, value);
    }
  }

  /** Requests all entries if they are missing, or if a full copy has room again. */
  void onTick(long nowMs) {
    boolean hasRoom = truncated && entries.size() < maxEntries;
    boolean missing = !known || sync != NONE || hasRoom;
    if (missing && nowMs - lastMs >= TIMEOUT_MS) {
      request(nowMs);
    }
  }
}
