package io.sluice.gateway.broker;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Queue that serves users in turn. Each user's items leave in order, one per turn, so that a user
 * with many items delays another one by at most one item. Not thread-safe.
 */
public final class FairQueue<T> {
  /** Items by user; the first user has the next turn. */
  private final Map<String, Deque<T>> users = new LinkedHashMap<>();

  private int size;

  /** Appends an item of a user. */
  public void add(String user, T item) {
    users.computeIfAbsent(user, absent -> new ArrayDeque<>()).add(item);
    size++;
  }

  /** Returns the item with the next turn, or null. */
  public T peek() {
    return users.isEmpty() ? null : users.values().iterator().next().peek();
  }

  /** Removes and returns the item with the next turn, or returns null. */
  public T poll() {
    return poll(user -> true);
  }

  /** The same, among the users that fulfil a condition. */
  public T poll(Predicate<String> condition) {
    Iterator<Map.Entry<String, Deque<T>>> turns = users.entrySet().iterator();
    while (turns.hasNext()) {
      Map.Entry<String, Deque<T>> turn = turns.next();
      if (condition.test(turn.getKey())) {
        turns.remove();
        T item = turn.getValue().remove();
        size--;
        if (!turn.getValue().isEmpty()) {
          users.put(turn.getKey(), turn.getValue());
        }
        return item;
      }
    }
    return null;
  }

  /** Removes the oldest item of each user while it fulfils a condition, and passes it on. */
  public void removeWhile(Predicate<T> condition, Consumer<T> removed) {
    users
        .values()
        .removeIf(
            items -> {
              while (!items.isEmpty() && condition.test(items.peek())) {
                size--;
                removed.accept(items.remove());
              }
              return items.isEmpty();
            });
  }

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }
}
