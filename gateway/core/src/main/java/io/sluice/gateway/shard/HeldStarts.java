package io.sluice.gateway.shard;

import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.PartitionOffsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Subscriptions of one topic whose places precede the log, or name messages that it lacks. They are
 * answered once the source's stored messages have been read back, and it has had those messages:
 * one request at a time, from the earliest place. If it fails, the later half of the subscriptions
 * is tried alone. Bound to the event loop of the topic's shard.
 *
 * <p>Places that are ahead of the messages here are those of clients of another node. Their
 * subscriptions wait for these messages, because they would receive them twice.
 */
final class HeldStarts {
  /** Entries of a read that cost as much as one delivery to a client. */
  private static final int ENTRIES_PER_VISIT = 16;

  /**
   * Longest time for which a subscription waits for messages before its place, if they may belong
   * to other topics of the stream, and never arrive.
   */
  private static final long MAX_AHEAD_MS = 500;

  /** The same if all of them arrive, unless the source has lost them. */
  private static final long MAX_WHOLE_AHEAD_MS = 30_000;

  private final ShardTopic topic;

  /** Subscriptions that wait for messages before their places. */
  private final Map<SubscriptionState, PartitionOffsets> ahead = new LinkedHashMap<>(0);

  private final Map<SubscriptionState, PartitionOffsets> held = new LinkedHashMap<>(2);

  /** Subscriptions whose request has ended, with what was read; the latter is null if it failed. */
  private final Map<SubscriptionState, Ready> ready = new LinkedHashMap<>(2);

  /** Places of the subscriptions that the pending request is for; null without one. */
  private List<PartitionOffsets> requested;

  /** Maximum number of subscriptions of the next request. */
  private int share = Integer.MAX_VALUE;

  /**
   * @param users number of subscriptions that begin with these messages
   */
  private record Ready(PartitionOffsets place, List<LogEntry> messages, int users) {}

  /** Receiver of the messages for a subscription. */
  interface Starter {
    /**
     * Starts it.
     *
     * @param messages all messages since its place; null if they cannot be read
     * @param users number of subscriptions that begin with some of these messages
     */
    void start(SubscriptionState subscription, List<LogEntry> messages, int users);
  }

  HeldStarts(ShardTopic topic) {
    this.topic = topic;
  }

  /** Holds a subscription until {@link #startNext}. */
  void hold(SubscriptionState subscription, PartitionOffsets place) {
    held.put(subscription, place);
    read();
  }

  /** Holds a subscription until the messages before its place have arrived. */
  void holdAhead(SubscriptionState subscription, PartitionOffsets place) {
    ahead.put(subscription, place);
    expectOverdue(subscription);
  }

  private void expectOverdue(SubscriptionState subscription) {
    topic.shard.executeLater(
        () -> topic.shard.offer(new ShardEvent.Overdue(topic, subscription)),
        topic.isWhole() ? MAX_WHOLE_AHEAD_MS : MAX_AHEAD_MS);
  }

  /** Messages have arrived here, or are known to be missing. */
  void onArrived() {
    Map<SubscriptionState, PartitionOffsets> reached = new LinkedHashMap<>(ahead);
    reached.values().removeIf(place -> !topic.reaches(place));
    ahead.keySet().removeAll(reached.keySet());
    reached.forEach(this::startFromLog);
    read();
  }

  private void startFromLog(SubscriptionState subscription, PartitionOffsets place) {
    List<LogEntry> messages = topic.after(place);
    if (messages == null) {
      held.put(subscription, place);
    } else {
      ready.put(subscription, new Ready(place, messages, SubscriptionStarts.IN_LOG));
    }
  }

  /**
   * Ends the wait of a subscription for messages before its place.
   *
   * @param active whether the source is connected; otherwise messages may arrive later
   */
  void onOverdue(SubscriptionState subscription, boolean active) {
    if (topic.isWhole() && !active && ahead.containsKey(subscription)) {
      expectOverdue(subscription);
      return;
    }
    PartitionOffsets place = ahead.remove(subscription);
    if (place != null && topic.isWhole()) {
      ready.put(subscription, new Ready(null, null, 1));
    } else if (place != null) {
      hold(subscription, place); // the source may have lost messages since then
    }
  }

  /** Releases a subscription that ends; returns whether it was held. */
  boolean remove(SubscriptionState subscription) {
    return ahead.remove(subscription) != null
        | held.remove(subscription) != null
        | ready.remove(subscription) != null;
  }

  boolean isEmpty() {
    return ahead.isEmpty() && held.isEmpty() && ready.isEmpty();
  }

  SubscriptionState any() {
    Map<SubscriptionState, ?> some = held.isEmpty() ? ready : held;
    return (some.isEmpty() ? ahead : some).keySet().iterator().next();
  }

  /** Repeats a request that an outage of the source may have ended. */
  void onActive() {
    read();
  }

  /** Ends the hold of all: the source no longer has the stream of their places. */
  void onNewStream() {
    held.putAll(ahead);
    ahead.clear();
    held.keySet().forEach(subscription -> ready.put(subscription, new Ready(null, null, 1)));
    held.clear();
  }

  private void read() {
    if (requested != null || held.isEmpty()) {
      return;
    }
    requested =
        held.values().stream()
            .sorted(Comparator.comparingLong(PartitionOffsets::sum).reversed())
            .limit(share)
            .toList();
    topic.shard.readBack(
        topic,
        held.keySet().iterator().next().subscriber.user(),
        PartitionOffsets.earliest(requested).place(topic.sourceStream()),
        requested.stream().flatMap(place -> place.ids().stream()).collect(Collectors.toSet()));
  }

  /**
   * Processes the end of a request.
   *
   * @param active whether the source is connected; otherwise a failure is retried later
   */
  void onEarlier(ShardEvent.Earlier read, boolean active) {
    List<PartitionOffsets> ended = requested;
    requested = null;
    if (read.after().stream() != topic.sourceStream()) {
      read();
    } else if (read.messages() != null) {
      PartitionOffsets after = new PartitionOffsets(read.after());
      Set<PartitionOffsets> answered = new HashSet<>(ended);
      Set<Long> known = after.ids();
      read.messages().forEach(entry -> known.add(entry.message().identity()));
      end(
          place ->
              answered.contains(place) || place.reaches(after) && known.containsAll(place.ids()),
          read.messages());
      share = Integer.MAX_VALUE;
      read();
    } else if (active) {
      onFailed(ended, read.refuted());
      read();
    }
  }

  // Earlier places need the same messages, and more; but other clients may have other ones.
  private void onFailed(List<PartitionOffsets> failed, boolean refuted) {
    if (failed.size() == 1) {
      PartitionOffsets place = failed.get(0);
      end(refuted ? other -> other.ids().equals(place.ids()) : place::reaches, null);
      share = Integer.MAX_VALUE;
    } else {
      share = failed.size() / 2;
    }
  }

  private void end(Predicate<PartitionOffsets> ended, List<LogEntry> messages) {
    Map<SubscriptionState, PartitionOffsets> found = new LinkedHashMap<>();
    held.forEach(
        (subscription, place) -> {
          if (ended.test(place)) {
            found.put(subscription, place);
          }
        });
    held.keySet().removeAll(found.keySet());
    found.forEach(
        (subscription, place) -> ready.put(subscription, new Ready(place, messages, found.size())));
  }

  /** Returns whether the request of a subscription has ended. */
  boolean isReady() {
    return !ready.isEmpty();
  }

  /** Starts the next subscription whose request has ended. */
  void startNext(Starter starter) {
    SubscriptionState next = ready.keySet().iterator().next();
    Ready read = ready.remove(next);
    topic.shard.visited(1);
    List<LogEntry> messages = null;
    if (read.messages() != null) {
      topic.shard.visited(read.messages().size() / ENTRIES_PER_VISIT);
      messages = new ArrayList<>();
      for (LogEntry entry : read.messages()) {
        if (read.place().isBefore(entry.message().identity())) {
          messages.add(entry);
        }
      }
    }
    starter.start(next, messages, read.users());
  }
}
