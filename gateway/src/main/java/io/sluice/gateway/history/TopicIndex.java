package io.sluice.gateway.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Index of a log by topic: each entry is linked to the previous entry of its topic, and the marks
 * are listed. Owned by the log's writer.
 */
final class TopicIndex {
  /** Heap bytes of a topic that has an entry: a node of the map, its place there, the chain. */
  static final int TOPIC_BYTES = 72;

  private static final int NONE = 0;

  private final Map<String, Chain> chains = new HashMap<>();
  private final Deque<Long> marks = new ArrayDeque<>();

  /** By the slots of the log's ring: how many offsets below an entry the previous one is. */
  private int[] distances = {};

  /** The entries of one topic. */
  private static final class Chain {
    long latest = NONE;
  }

  /** Follows the log's ring to its new size, a power of two. */
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
  void add(Logged entry) {
    if (entry.isMark()) {
      marks.addLast(entry.offset());
      return;
    }
    Chain chain = chains.computeIfAbsent(entry.message().topic(), topic -> new Chain());
    long distance = chain.latest == NONE ? NONE : entry.offset() - chain.latest;
    distances[slot(entry.offset())] = (int) distance; // less than the length of the ring
    chain.latest = entry.offset();
  }

  /** Removes the oldest entry of the log. */
  void removeFirst(Logged entry) {
    if (entry.isMark()) {
      marks.removeFirst();
      return;
    }
    String topic = entry.message().topic();
    if (chains.get(topic).latest == entry.offset()) {
      chains.remove(topic);
    }
  }

  /** Heap bytes of the index, without what each entry costs. */
  long bytes() {
    return (long) TOPIC_BYTES * chains.size();
  }

  /**
   * Returns the offsets of a topic's messages, in their order, and before each one that of the
   * latest mark behind the message before it. A mark behind the last message is the last element.
   *
   * @param first offset of the log's oldest entry
   */
  List<Long> offsets(String topic, long first) {
    List<Long> messages = messages(topic, first);
    List<Long> found = new ArrayList<>(messages.size());
    int next = 0;
    long loss = NONE;
    for (long mark : marks) {
      while (next < messages.size() && messages.get(next) < mark) {
        addUnlessNone(found, loss);
        loss = NONE;
        found.add(messages.get(next++));
      }
      loss = mark;
    }
    addUnlessNone(found, loss);
    found.addAll(messages.subList(next, messages.size()));
    return found;
  }

  private static void addUnlessNone(List<Long> found, long mark) {
    if (mark != NONE) {
      found.add(mark);
    }
  }

  private List<Long> messages(String topic, long first) {
    List<Long> found = new ArrayList<>();
    Chain chain = chains.get(topic);
    long offset = chain == null ? NONE : chain.latest;
    while (offset >= first) { // what was before may have been given up
      found.add(offset);
      int distance = distances[slot(offset)];
      offset = distance == NONE ? NONE : offset - distance;
    }
    Collections.reverse(found);
    return found;
  }
}
