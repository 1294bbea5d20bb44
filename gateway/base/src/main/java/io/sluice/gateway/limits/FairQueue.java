package io.sluice.gateway.limits;

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
    return users.isEmpty() ? null : remove(users.entrySet().iterator().next(), item -> true);
  }

  /**
   * The same, among the items that fulfil a condition and the users that have a share left. Takes
   * one unit of the user's share.
   */
  public T poll(Shares shares, Predicate<T> condition) {
    for (Map.Entry<String, Deque<T>> turn : users.entrySet()) {
      if (shares.take(turn.getKey(), 1)) {
        T item = remove(turn, condition);
        if (item != null) {
          return item;
        }
        shares.release(turn.getKey(), 1);
      }
    }
    return null;
  }

  private T remove(Map.Entry<String, Deque<T>> turn, Predicate<T> condition) {
    T item = removeFirst(turn.getValue(), condition);
    if (item != null) {
      size--;
      users.remove(turn.getKey());
      if (!turn.getValue().isEmpty()) {
        users.put(turn.getKey(), turn.getValue());
      }
    }
    return item;
  }

  private static <T> T removeFirst(Deque<T> items, Predicate<T> condition) {
    for (Iterator<T> each = items.iterator(); each.hasNext(); ) {
      T item = each.next();
      if (condition.test(item)) {
        each.remove();
        return item;
      }
    }
    return null;
  }

  /** Removes the items that fulfil a condition, and passes them on. */
  public void removeIf(Predicate<T> condition, Consumer<T> removed) {
    users
        .values()
        .removeIf(
            items -> {
              items.removeIf(item -> isRemoved(item, condition, removed));
              return items.isEmpty();
            });
  }

  private boolean isRemoved(T item, Predicate<T> condition, Consumer<T> removed) {
    if (!condition.test(item)) {
      return false;
    }
    size--;
    removed.accept(item);
    return true;
  }

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }
}
