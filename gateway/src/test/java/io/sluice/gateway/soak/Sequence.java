package io.sluice.gateway.soak;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Position of a client in one subscription: the last offset, and the last number of each topic
 * received by it. Bound to the client's thread.
 */
final class Sequence {
  private final String subscription;
  private final Map<String, Long> numbers = new HashMap<>();

  /** Topics in which numbers may be missing because of a reported gap. */
  private final Set<String> holes = new HashSet<>();

  private long offset;
  private boolean gap;

  /** Begins after the offset of the reply to the subscription. */
  Sequence(String subscription, long offset) {
    this.subscription = subscription;
    this.offset = offset;
  }

  /** Permits one hole in each topic from here on. */
  void onGap() {
    gap = true;
    holes.addAll(numbers.keySet());
  }

  /** Adds the next message, which must follow the previous one. */
  void onMessage(String topic, long messageOffset, long number) {
    if (gap ? messageOffset <= offset : messageOffset != offset + 1) {
      throw broken(topic, "offset", offset, messageOffset);
    }
    Long before = numbers.put(topic, number);
    boolean hole = holes.remove(topic);
    if (before != null && (hole ? number <= before : number != before + 1)) {
      throw broken(topic, "number", before, number);
    }
    offset = messageOffset;
    gap = false;
  }

  /** Returns the last number of a topic; 0 if no message was received. */
  long last(String topic) {
    return numbers.getOrDefault(topic, 0L);
  }

  private AssertionError broken(String topic, String what, long before, long now) {
    return new AssertionError(
        "subscription %s, topic %s: %s %d follows %d without a gap that explains it"
            .formatted(subscription, topic, what, now, before));
  }
}
