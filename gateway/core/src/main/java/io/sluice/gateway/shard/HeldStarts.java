package io.sluice.gateway.shard;

import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.history.LogEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Subscriptions of one topic whose places precede the log. They are answered once the source's
 * stored messages have been read back: one request at a time, from the place of the first one,
 * which serves all with later places. Bound to the event loop of the topic's shard.
 */
final class HeldStarts {
  /** Maximum number of requests for one subscription; the log may move on during each. */
  private static final int MAX_ATTEMPTS = 3;

  private final ShardTopic topic;
  private final Map<SubscriptionState, Held> held = new LinkedHashMap<>(2);

  /** The one from whose place the source is being read; null if it is not. */
  private SubscriptionState leader;

  private static final class Held {
    final StreamPlace place;
    int attempts;

    Held(StreamPlace place) {
      this.place = place;
    }
  }

  /** Receiver of the messages for a subscription. */
  interface Starter {
    /**
     * Starts it.
     *
     * @param messages all messages since its place; null if they cannot be read
     */
    void start(SubscriptionState subscription, List<LogEntry> messages);
  }

  HeldStarts(ShardTopic topic) {
    this.topic = topic;
  }

  /** Holds a subscription until {@link #onEarlier}. */
  void hold(SubscriptionState subscription, StreamPlace place) {
    held.put(subscription, new Held(place));
    read();
  }

  /** Releases a subscription that ends; returns whether it was held. */
  boolean remove(SubscriptionState subscription) {
    return held.remove(subscription) != null;
  }

  boolean isEmpty() {
    return held.isEmpty();
  }

  SubscriptionState any() {
    return held.keySet().iterator().next();
  }

  /** Repeats a request that an outage of the source may have ended. */
  void onActive() {
    read();
  }

  private void read() {
    if (leader == null && !held.isEmpty()) {
      leader = held.keySet().iterator().next();
      topic.shard.readBack(topic, leader.subscriber.user(), held.get(leader).place);
    }
  }

  /**
   * Starts the subscriptions whose messages were read.
   *
   * @param active whether the source is connected; otherwise a failure is retried later
   */
  void onEarlier(ShardEvent.Earlier read, boolean active, Starter starter) {
    SubscriptionState first = leader;
    leader = null;
    if (read.messages() != null) {
      startAfter(read, starter);
    } else if (!active) {
      return;
    } else if (held.remove(first) != null) { // others may have places that can be read
      starter.start(first, null);
    }
    read();
  }

  private void startAfter(ShardEvent.Earlier read, Starter starter) {
    for (Map.Entry<SubscriptionState, Held> each : new ArrayList<>(held.entrySet())) {
      Held waiting = each.getValue();
      if (precedes(read.after(), waiting.place)) {
        List<LogEntry> all = since(waiting.place, read);
        if (all != null || ++waiting.attempts == MAX_ATTEMPTS) {
          held.remove(each.getKey());
          starter.start(each.getKey(), all);
        }
      }
    }
  }

  private static boolean precedes(StreamPlace earlier, StreamPlace place) {
    return Arrays.stream(earlier.ids())
        .allMatch(id -> StreamPlace.offset(id) <= place.offsetOf(StreamPlace.partition(id)));
  }

  /** Returns what was read and the log has after a place; null if the log has moved on. */
  private List<LogEntry> since(StreamPlace place, ShardEvent.Earlier read) {
    StreamPlace upTo = place.and(read.upTo());
    List<LogEntry> later = topic.log().after(upTo, topic.offset());
    if (later == null) {
      return null;
    }
    List<LogEntry> all = new ArrayList<>(read.messages().size() + later.size());
    for (LogEntry entry : read.messages()) {
      long id = entry.message().identity();
      if (StreamPlace.offset(id) > place.offsetOf(StreamPlace.partition(id))) {
        all.add(entry);
      }
    }
    all.addAll(later);
    return all;
  }
}
