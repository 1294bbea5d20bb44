package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.TopicSubscription;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.CompletableFuture;
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

  /** Completes after the end of the consumers of a subscription that are closing. */
  CompletableFuture<Void> closed(TopicSubscription subscription) {
    return CompletableFuture.allOf(
        byNumber.values().stream()
            .filter(ConsumerActor.class::isInstance)
            .map(ConsumerActor.class::cast)
            .filter(consumer -> consumer.isClosing(subscription))
            .map(ConsumerActor::closed)
            .toArray(CompletableFuture<?>[]::new));
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
