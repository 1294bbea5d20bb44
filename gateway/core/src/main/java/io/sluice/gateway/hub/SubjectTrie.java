package io.sluice.gateway.hub;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Trie from topics and patterns to values, with one node per level and one value per pattern. The
 * cost of a lookup depends on the number of levels, not on the number of patterns. Not thread-safe.
 *
 * <p>Memory is proportional to the levels of the patterns in it. A lookup visits only nodes whose
 * first levels match the topic. The worst case is every node: patterns that combine {@code *} and
 * literals at every level.
 *
 * @param <V> type of the values, compared by {@code equals}
 */
public final class SubjectTrie<V> {
  private static final String ANY_LEVEL = "*";
  private static final String ANY_TAIL = ">";

  /** Values of topics without wildcards, found without splitting into levels. */
  private final Map<String, V> topics = new HashMap<>(0);

  /** Null while there is no pattern. */
  private Node<V> patterns;

  /** Node for one prefix of levels. */
  private static final class Node<V> {
    final Map<String, Node<V>> literals = new HashMap<>(0);

    /** The level {@code *}, or null. */
    Node<V> anyLevel;

    /** The value of the pattern that ends with {@code >} here, or null. */
    V anyTail;

    /** The value of the pattern that ends here, or null. */
    V end;

    boolean isEmpty() {
      return end == null && anyTail == null && anyLevel == null && literals.isEmpty();
    }

    Node<V> child(String level) {
      return level.equals(ANY_LEVEL) ? anyLevel : literals.get(level);
    }
  }

  /** Returns whether there is no value. */
  public boolean isEmpty() {
    return topics.isEmpty() && patterns == null;
  }

  /**
   * Adds the value of a valid topic or pattern.
   *
   * @return the value that it replaces, or null
   */
  public V put(String pattern, V value) {
    if (!TopicPattern.isPattern(pattern)) {
      return topics.put(pattern, value);
    }
    if (patterns == null) {
      patterns = new Node<>();
    }
    return put(patterns, pattern, 0, value);
  }

  private static <V> V put(Node<V> root, String pattern, int from, V value) {
    Node<V> node = root;
    for (int start = from; start <= pattern.length(); ) {
      int end = levelEnd(pattern, start);
      String level = pattern.substring(start, end);
      if (level.equals(ANY_TAIL)) {
        V before = node.anyTail;
        node.anyTail = value;
        return before;
      }
      if (level.equals(ANY_LEVEL)) {
        node.anyLevel = node.anyLevel == null ? new Node<>() : node.anyLevel;
        node = node.anyLevel;
      } else {
        node = node.literals.computeIfAbsent(level, any -> new Node<>());
      }
      start = end + 1;
    }
    V before = node.end;
    node.end = value;
    return before;
  }

  /** Removes a topic or pattern if it has this value; returns whether it was removed. */
  public boolean remove(String pattern, V value) {
    if (!TopicPattern.isPattern(pattern)) {
      return topics.remove(pattern, value);
    }
    boolean removed = patterns != null && remove(patterns, pattern, 0, value);
    if (removed && patterns.isEmpty()) {
      patterns = null;
    }
    return removed;
  }

  // Recursion depth is the number of levels, which TopicRules limits.
  private static <V> boolean remove(Node<V> node, String pattern, int start, V value) {
    if (start > pattern.length()) {
      boolean found = value.equals(node.end);
      node.end = found ? null : node.end;
      return found;
    }
    int end = levelEnd(pattern, start);
    String level = pattern.substring(start, end);
    if (level.equals(ANY_TAIL)) {
      boolean found = value.equals(node.anyTail);
      node.anyTail = found ? null : node.anyTail;
      return found;
    }
    Node<V> child = node.child(level);
    boolean removed = child != null && remove(child, pattern, end + 1, value);
    if (removed && child.isEmpty()) {
      if (level.equals(ANY_LEVEL)) {
        node.anyLevel = null;
      } else {
        node.literals.remove(level);
      }
    }
    return removed;
  }

  /**
   * Calls back with each value whose pattern covers a topic, in no particular order. The topic may
   * be a pattern, too: then a value's pattern must match everything that it matches ({@link
   * TopicPattern#covers}). The callback must not change this trie.
   */
  public void forEachCovering(String topic, Consumer<? super V> action) {
    if (!topics.isEmpty()) {
      V exact = topics.get(topic);
      if (exact != null) {
        action.accept(exact);
      }
    }
    if (patterns != null) {
      forEachCovering(patterns, topic, 0, action);
    }
  }

  private static <V> void forEachCovering(
      Node<V> node, String topic, int start, Consumer<? super V> action) {
    if (start > topic.length()) {
      if (node.end != null) {
        action.accept(node.end);
      }
      return;
    }
    if (node.anyTail != null) {
      action.accept(node.anyTail);
    }
    if (node.anyLevel == null && node.literals.isEmpty()) {
      return;
    }
    int end = levelEnd(topic, start);
    String level = topic.substring(start, end);
    if (node.anyLevel != null && !level.equals(ANY_TAIL)) {
      forEachCovering(node.anyLevel, topic, end + 1, action);
    }
    Node<V> literal = node.literals.get(level); // never a wildcard
    if (literal != null) {
      forEachCovering(literal, topic, end + 1, action);
    }
  }

  /** Calls back with every value, in no particular order. */
  public void forEach(Consumer<? super V> action) {
    topics.values().forEach(action);
    if (patterns != null) {
      forEach(patterns, action);
    }
  }

  private static <V> void forEach(Node<V> node, Consumer<? super V> action) {
    if (node.end != null) {
      action.accept(node.end);
    }
    if (node.anyTail != null) {
      action.accept(node.anyTail);
    }
    if (node.anyLevel != null) {
      forEach(node.anyLevel, action);
    }
    node.literals.values().forEach(child -> forEach(child, action));
  }

  private static int levelEnd(String topic, int start) {
    int end = topic.indexOf('.', start);
    return end < 0 ? topic.length() : end;
  }
}
