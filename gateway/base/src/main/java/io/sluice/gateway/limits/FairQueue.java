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
 * with many items delays another one by at most one item. The users of a {@linkplain UserKey group}
 * share its turns. Not thread-safe.
 */
public final class FairQueue<T> {
  /** Key of the group whose users take turns here, with a separator; empty for all users. */
  private final String prefix;

  /** Items by user or group; the first one has the next turn. */
  private final Map<String, Turn<T>> turns = new LinkedHashMap<>();

  private int size;

  /** Items of a user, and of the users of a group. */
  private static final class Turn<T> {
    private final Deque<T> items = new ArrayDeque<>(1);

    /** Null without them. */
    private FairQueue<T> members;

    void add(String user, int end, T item) {
      if (end == user.length()) {
        items.add(item);
        return;
      }
      if (members == null) {
        members = new FairQueue<>(user.substring(0, end + 1));
      }
      members.add(user, item);
    }

    T peek() {
      return items.isEmpty() ? members.peek() : items.peek();
    }

    boolean isEmpty() {
      return items.isEmpty() && (members == null || members.isEmpty());
    }
  }

  /** Creates an empty queue. */
  public FairQueue() {
    this("");
  }

  private FairQueue(String prefix) {
    this.prefix = prefix;
  }

  /** Appends an item of a user. */
  public void add(String user, T item) {
    int end = UserKey.end(user, prefix.length());
    turns.computeIfAbsent(user.substring(0, end), absent -> new Turn<>()).add(user, end, item);
    size++;
  }

  /** Returns the item with the next turn, or null. */
  public T peek() {
    return turns.isEmpty() ? null : turns.values().iterator().next().peek();
  }

  /** Removes and returns the item with the next turn, or returns null. */
  public T poll() {
    return poll(null, item -> true);
  }

  /**
   * The same, among the items that fulfil a condition and the users that have a share left. Takes
   * one unit of the user's share.
   *
   * @param shares null for no shares
   */
  public T poll(Shares shares, Predicate<T> condition) {
    for (Map.Entry<String, Turn<T>> next : turns.entrySet()) {
      String key = next.getKey();
      Turn<T> turn = next.getValue();
      T item = poll(key, turn.items, shares, condition);
      // Without this check, each user of a group without a share would be tested.
      if (item == null && turn.members != null && (shares == null || shares.isFree(key, 1))) {
        item = turn.members.poll(shares, condition);
      }
      if (item != null) {
        size--;
        turns.remove(key);
        if (!turn.isEmpty()) {
          turns.put(key, turn);
        }
        return item;
      }
    }
    return null;
  }

  private static <T> T poll(String user, Deque<T> items, Shares shares, Predicate<T> condition) {
    if (items.isEmpty() || shares != null && !shares.take(user, 1)) {
      return null;
    }
    T item = removeFirst(items, condition);
    if (item == null && shares != null) {
      shares.release(user, 1);
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
    turns
        .values()
        .removeIf(
            turn -> {
              turn.items.removeIf(item -> isRemoved(item, condition, removed));
              if (turn.members != null) {
                int before = turn.members.size();
                turn.members.removeIf(condition, removed);
                size -= before - turn.members.size();
              }
              return turn.isEmpty();
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
