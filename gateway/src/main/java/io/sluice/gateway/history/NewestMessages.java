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

/**
 * The newest message of each topic or key of a log, for snapshots. A message is <em>held</em> while
 * it is no longer among the log's entries: then it costs memory here.
 *
 * <p>Owned by the log's writer; {@link #upTo} and {@link #has} are for any thread.
 */
final class NewestMessages {
  /** Heap bytes of a topic or key: a node of the map, its place there, the text's header. */
  static final int KEY_BYTES = 88;

  /** Heap bytes of a held message in addition to its own: a list node and its slot. */
  static final int HELD_BYTES = 56;

  private final Map<String, Logged> newest = new ConcurrentHashMap<>(2);

  /** Oldest first: entries leave the log in their order. */
  private final Map<String, Logged> held = new LinkedHashMap<>(0);

  /** The held messages of topics with keys by topic; null until the first request. */
  private NavigableMap<String, Logged> heldByKey;

  private final int limit;
  private final Consumer<Logged> released;
  private long bytes;
  private boolean incomplete;

  /**
   * Creates an empty collection.
   *
   * @param limit most topics or keys
   * @param released called with each message that is no longer held
   */
  NewestMessages(int limit, Consumer<Logged> released) {
    this.limit = limit;
    this.released = released;
  }

  /** Takes the latest entry of the log; returns false if there is no room for its topic or key. */
  boolean add(Logged entry) {
    String key = entry.key();
    if (newest.containsKey(key)) {
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

  /** An entry has left the log; returns whether it is held. */
  boolean onRemoved(Logged gone) {
    String key = gone.key();
    if (newest.get(key) != gone) {
      return false;
    }
    held.put(key, gone);
    bytes += gone.size() + HELD_BYTES;
    if (heldByKey != null && isKeyed(gone)) {
      heldByKey.put(key, gone);
    }
    return true;
  }

  /** Discards the oldest held message; returns false if none is held. */
  boolean discardOldest() {
    Iterator<String> oldest = held.keySet().iterator();
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
    Logged before = held.remove(key);
    if (before != null) {
      before.dropFrames();
      bytes -= before.size() + HELD_BYTES;
      if (heldByKey != null) {
        heldByKey.remove(key);
      }
      released.accept(before);
    }
  }

  private static int keyBytes(String key) {
    return KEY_BYTES + key.length();
  }

  /** Heap bytes that are not those of the log's entries. */
  long bytes() {
    return bytes;
  }

  /** Whether the newest message of a topic or key is missing. */
  boolean isIncomplete() {
    return incomplete;
  }

  /** Whether the newest message of a topic or key is here. Any thread. */
  boolean has(String key) {
    return newest.containsKey(key);
  }

  /** The newest messages, as of an offset, in their order. Any thread. */
  List<Logged> upTo(long offset) {
    List<Logged> found = new ArrayList<>();
    for (Logged entry : newest.values()) {
      // One that is newer is about to come by the stream.
      if (entry.offset() <= offset) {
        found.add(entry);
      }
    }
    found.sort(Comparator.comparingLong(Logged::offset));
    return found;
  }

  /** The held messages of a topic or pattern, in their order. */
  List<Logged> held(String pattern) {
    List<Logged> found = new ArrayList<>();
    if (TopicPattern.isPattern(pattern)) {
      for (Logged entry : held.values()) {
        if (TopicPattern.covers(pattern, entry.message().topic())) {
          found.add(entry);
        }
      }
      return found;
    }
    Logged own = held.get(pattern);
    if (own != null) {
      found.add(own);
    }
    String afterKeys = pattern + (char) (Logged.KEY_SEPARATOR + 1);
    found.addAll(heldByKey().subMap(pattern + Logged.KEY_SEPARATOR, afterKeys).values());
    found.sort(Comparator.comparingLong(Logged::offset));
    return found;
  }

  /** Calls back with every held message. */
  void forEachHeld(Consumer<Logged> action) {
    held.values().forEach(action);
  }

  private NavigableMap<String, Logged> heldByKey() {
    if (heldByKey == null) {
      heldByKey = new TreeMap<>();
      held.forEach(
          (key, entry) -> {
            if (isKeyed(entry)) {
              heldByKey.put(key, entry);
            }
          });
    }
    return heldByKey;
  }

  private static boolean isKeyed(Logged entry) {
    return entry.message().key() != null;
  }
}
