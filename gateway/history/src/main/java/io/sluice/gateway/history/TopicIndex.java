package io.sluice.gateway.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Index of a log by topic. Each entry is linked to the previous entry of its topic; gap markers are
 * listed separately. Owned by the log's writer.
 */
final class TopicIndex {
  /** Heap bytes of a topic that has an entry: a map node, its table slot, the chain. */
  static final int TOPIC_BYTES = 72;

  private static final int NONE = 0;

  private final Map<String, Chain> chains = new HashMap<>();
  private final Deque<Long> gaps = new ArrayDeque<>();

  /** Distance from an entry to the previous one of its topic, by the slots of the log's ring. */
  private int[] distances = {};

  /** The entries of one topic. */
  private static final class Chain {
    long latest = NONE;
  }

  /** Resizes the index to the new size of the log's ring, a power of two. */
  void resize(int capacity, long first, long last) {
    int[] larger = new int[capacity];
    for (long offset = first; offset <= last && distances.length > 0; offset++) {
      larger[(int) (offset & capacity - 1)] = distances[slot(offset)];
    }
    distances = larger;
  }

  private int slot(long offset) {
    return (int) (offset & distances.length - 1);
  }

  /** Adds the latest entry of the log. */
  void add(LogEntry entry) {
    if (entry.isGap()) {
      gaps.addLast(entry.offset());
      return;
    }
    Chain chain = chains.computeIfAbsent(entry.message().topic(), topic -> new Chain());
    long distance = chain.latest == NONE ? NONE : entry.offset() - chain.latest;
    distances[slot(entry.offset())] = (int) distance; // less than the length of the ring
    chain.latest = entry.offset();
  }

  /** Removes the oldest entry of the log. */
  void removeFirst(LogEntry entry) {
    if (entry.isGap()) {
      gaps.removeFirst();
      return;
    }
    String topic = entry.message().topic();
    if (chains.get(topic).latest == entry.offset()) {
      chains.remove(topic);
    }
  }

  /** Returns the heap bytes of the index without the cost per entry. */
  long bytes() {
    return (long) TOPIC_BYTES * chains.size();
  }

  /**
   * Returns the offsets of a topic's messages in order. Each one is preceded by the latest gap
   * marker since the previous message, if there is one. A gap marker after the last message is the
   * last element.
   *
   * @param first offset of the log's oldest entry
   */
  List<Long> offsets(String topic, long first) {
    List<Long> messages = messages(topic, first);
    List<Long> found = new ArrayList<>(messages.size());
    int next = 0;
    long latestGap = NONE;
    for (long gap : gaps) {
      while (next < messages.size() && messages.get(next) < gap) {
        addUnlessNone(found, latestGap);
        latestGap = NONE;
        found.add(messages.get(next++));
      }
      latestGap = gap;
    }
    addUnlessNone(found, latestGap);
    found.addAll(messages.subList(next, messages.size()));
    return found;
  }

  private static void addUnlessNone(List<Long> found, long offset) {
    if (offset != NONE) {
      found.add(offset);
    }
  }

  private List<Long> messages(String topic, long first) {
    List<Long> found = new ArrayList<>();
    Chain chain = chains.get(topic);
    long offset = chain == null ? NONE : chain.latest;
    while (offset >= first) { // earlier entries were evicted
      found.add(offset);
      int distance = distances[slot(offset)];
      offset = distance == NONE ? NONE : offset - distance;
    }
    Collections.reverse(found);
    return found;
  }
}
