package io.sluice.gateway.broker.queue;

import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Users of the connection, in the order of their creation. Any thread; no method blocks. */
final class LinkUsers {
  private final AtomicLong last = new AtomicLong();
  private final NavigableMap<Long, LinkUser> byNumber = new ConcurrentSkipListMap<>();
  private final Map<LinkUser, Long> numbers = new ConcurrentHashMap<>();

  /** Adds a user, once. */
  void add(LinkUser user) {
    long number = last.incrementAndGet();
    numbers.put(user, number);
    byNumber.put(number, user);
  }

  /** Removes a user; returns whether it was present. */
  boolean remove(LinkUser user) {
    Long number = numbers.remove(user);
    return number != null && byNumber.remove(number) != null;
  }

  void forEach(Consumer<LinkUser> action) {
    byNumber.values().forEach(action);
  }

  boolean anyMatch(Predicate<LinkUser> condition) {
    return byNumber.values().stream().anyMatch(condition);
  }

  boolean isEmpty() {
    return numbers.isEmpty();
  }

  int size() {
    return numbers.size();
  }
}
