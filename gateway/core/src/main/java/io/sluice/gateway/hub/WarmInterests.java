package io.sluice.gateway.hub;

import java.util.HashMap;
import java.util.Map;

/**
 * Index of the node's warm interests by the topics that they cover. Bound to one thread.
 *
 * @param <I> an interest
 */
final class WarmInterests<I> {
  private final SubjectTrie<Entry<I>> byPattern = new SubjectTrie<>();
  private final Map<I, Entry<I>> entries = new HashMap<>();
  private int added;

  private record Entry<I>(String name, I interest, int order) {}

  /** Adds an interest with a unique name, unless it is present. */
  void add(String name, I interest) {
    if (entries.containsKey(interest)) {
      return;
    }
    Entry<I> entry = new Entry<>(name, interest, added++);
    entries.put(interest, entry);
    byPattern.put(name, entry);
  }

  /** Removes an interest if it is present. */
  void remove(I interest) {
    Entry<I> entry = entries.remove(interest);
    if (entry != null) {
      byPattern.remove(entry.name(), entry);
    }
  }

  /** Returns the first of the interests, in the order of addition, that cover another name. */
  I covering(String name) {
    Search<I> search = new Search<>(name);
    byPattern.forEachCovering(name, search::visit);
    return search.first == null ? null : search.first.interest();
  }

  private static final class Search<I> {
    private final String name;
    private Entry<I> first;

    Search(String name) {
      this.name = name;
    }

    void visit(Entry<I> entry) {
      boolean other = !entry.name().equals(name);
      if (other && (first == null || entry.order() < first.order())) {
        first = entry;
      }
    }
  }
}
