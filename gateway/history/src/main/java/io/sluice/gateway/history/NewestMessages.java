package io.sluice.gateway.history;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Newest message of each topic or key of a log, for snapshots. A newest message that was evicted
 * from the log is <em>retained</em>: its memory is then accounted here.
 *
 * <p>Owned by the log's writer; any thread may call {@link #upTo} and {@link #has}.
 */
final class NewestMessages {
  /** Heap bytes of a topic or key: a map node, its table slot, the string's header. */
  static final int KEY_BYTES = 88;

  /** Heap bytes of a retained message in addition to its own: a list node and its slot. */
  static final int RETAINED_BYTES = 56;

  private final Map<String, LogEntry> newest = new ConcurrentHashMap<>(2);

  /** Oldest first, because the log evicts entries in order. */
  private final Map<String, LogEntry> retained = new LinkedHashMap<>(0);

  /** The retained messages of topics with keys, by topic; null until the first request. */
  private NavigableMap<String, LogEntry> retainedByKey;

  private final int limit;
  private final Consumer<LogEntry> onReleased;
  private long bytes;
  private boolean incomplete;

  /**
   * Creates an empty collection.
   *
   * @param limit maximum number of topics or keys
   * @param onReleased called with each message that is no longer retained
   */
  NewestMessages(int limit, Consumer<LogEntry> onReleased) {
    this.limit = limit;
    this.onReleased = onReleased;
  }

  /**
   * Adds the latest entry of the log, or removes its topic or key. Returns false at the limit of
   * topics or keys.
   */
  boolean add(LogEntry entry) {
    String key = entry.key();
    if (entry.message().isRemoval()) {
      remove(key);
    } else if (newest.containsKey(key)) {
      newest.put(key, entry);
      release(key);
    } else if (newest.size() < limit) {
      newest.put(key, entry);
      bytes += keyBytes(key);
    } else {
      incomplete = true;
      return false;
    }
    return true;
  }

  private void remove(String key) {
    if (newest.remove(key) != null) {
      release(key);
      bytes -= keyBytes(key);
    }
  }

  /** Retains an evicted entry if it is the newest of its key; returns whether it is retained. */
  boolean onEvicted(LogEntry evicted) {
    String key = evicted.key();
    if (newest.get(key) != evicted) {
      return false;
    }
    retained.put(key, evicted);
    bytes += evicted.size() + RETAINED_BYTES;
    if (retainedByKey != null && isKeyed(evicted)) {
      retainedByKey.put(key, evicted);
    }
    return true;
  }

  /** Removes topics and keys by their newest message. */
  void removeIf(Predicate<LogEntry> removed) {
    List<LogEntry> found = newest.values().stream().filter(removed).toList();
    found.forEach(entry -> remove(entry.key()));
    incomplete = !newest.isEmpty() && (incomplete || !found.isEmpty());
  }

  /** Discards the oldest retained message; returns false if there is none. */
  boolean discardOldest() {
    Iterator<String> oldest = retained.keySet().iterator();
    if (!oldest.hasNext()) {
      return false;
    }
    String key = oldest.next();
    release(key);
    newest.remove(key);
    bytes -= keyBytes(key);
    incomplete = true;
    return true;
  }

  private void release(String key) {
    LogEntry released = retained.remove(key);
    if (released != null) {
      released.uncacheFrames();
      bytes -= released.size() + RETAINED_BYTES;
      if (retainedByKey != null) {
        retainedByKey.remove(key);
      }
      onReleased.accept(released);
    }
  }

  private static int keyBytes(String key) {
    return KEY_BYTES + key.length();
  }

  /** Returns the heap bytes that are not accounted to the log's entries. */
  long bytes() {
    return bytes;
  }

  /** Returns whether the newest message of a topic or key is missing. */
  boolean isIncomplete() {
    return incomplete;
  }

  /** Returns whether the newest message of a topic or key is stored. Any thread may call it. */
  boolean has(String key) {
    return newest.containsKey(key);
  }

  /** Returns the newest messages up to an offset, ordered by offset. Any thread may call it. */
  List<LogEntry> upTo(long offset) {
    List<LogEntry> found = new ArrayList<>();
    for (LogEntry entry : newest.values()) {
      // A newer entry follows in the live stream.
      if (entry.offset() <= offset) {
        found.add(entry);
      }
    }
    found.sort(Comparator.comparingLong(LogEntry::offset));
    return found;
  }

  /** Returns the retained messages of a topic or pattern, ordered by offset. */
  List<LogEntry> retained(String pattern) {
    List<LogEntry> found = new ArrayList<>();
    if (TopicPattern.isPattern(pattern)) {
      for (LogEntry entry : retained.values()) {
        if (TopicPattern.covers(pattern, entry.message().topic())) {
          found.add(entry);
        }
      }
      return found;
    }
    LogEntry own = retained.get(pattern);
    if (own != null) {
      found.add(own);
    }
    String afterKeys = pattern + (char) (LogEntry.KEY_SEPARATOR + 1);
    found.addAll(retainedByKey().subMap(pattern + LogEntry.KEY_SEPARATOR, afterKeys).values());
    found.sort(Comparator.comparingLong(LogEntry::offset));
    return found;
  }

  /** Calls an action for every retained message. */
  void forEachRetained(Consumer<LogEntry> action) {
    retained.values().forEach(action);
  }

  private NavigableMap<String, LogEntry> retainedByKey() {
    if (retainedByKey == null) {
      retainedByKey = new TreeMap<>();
      retained.forEach(
          (key, entry) -> {
            if (isKeyed(entry)) {
              retainedByKey.put(key, entry);
            }
          });
    }
    return retainedByKey;
  }

  private static boolean isKeyed(LogEntry entry) {
    return entry.message().key() != null;
  }
}
