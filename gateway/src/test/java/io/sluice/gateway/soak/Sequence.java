package io.sluice.gateway.soak;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Where a client stands in one subscription: the last offset and the last number of every topic
 * that came through it. Bound to the client's thread.
 */
final class Sequence {
  private final String subscription;
  private final Map<String, Long> numbers = new HashMap<>();

  /** Topics in which numbers may be missing since a gap was told. */
  private final Set<String> holes = new HashSet<>();

  private long offset;
  private boolean gap;

  /** Begins behind the offset of the answer to the subscription. */
  Sequence(String subscription, long offset) {
    this.subscription = subscription;
    this.offset = offset;
  }

  /** From here on one hole in each topic is explained. */
  void onGap() {
    gap = true;
    holes.addAll(numbers.keySet());
  }

  /** The next message; it must follow the one before it. */
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

  /** The last number of a topic, 0 if none has come. */
  long last(String topic) {
    return numbers.getOrDefault(topic, 0L);
  }

  private AssertionError broken(String topic, String what, long before, long now) {
    return new AssertionError(
        "subscription %s, topic %s: %s %d follows %d without a gap that explains it"
            .formatted(subscription, topic, what, now, before));
  }
}
