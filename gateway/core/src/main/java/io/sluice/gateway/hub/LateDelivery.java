package io.sluice.gateway.hub;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Messages of a topic for which the broker selected the consumers long before their delivery:
 * scheduled ones and those of transactions. A consumer that was opened in between receives none of
 * them. Immutable, for any thread.
 *
 * @param topic topic, or a pattern that covers the topics of all messages
 * @param ids identities of all messages, at most {@link #MAX_IDS}; empty if some are unknown or
 *     there are more
 * @param sentMs earliest time at which one was sent, in milliseconds since 1970; 0 if it is unknown
 * @param deliveredMs latest time at which one was delivered, in milliseconds since 1970
 * @param delayMs largest known time from the sending of one to its delivery
 */
public record LateDelivery(
    String topic, List<Long> ids, long sentMs, long deliveredMs, long delayMs) {
  /** Maximum number of identities. */
  public static final int MAX_IDS = 64;

  /** Copies the identities, or leaves them out if there are too many. */
  public LateDelivery {
    ids = ids.size() > MAX_IDS ? List.of() : List.copyOf(ids);
  }

  /** Returns one record of the same topic for the messages of two. */
  public LateDelivery and(LateDelivery other) {
    Set<Long> both = new LinkedHashSet<>();
    if (!ids.isEmpty() && !other.ids.isEmpty()) {
      both.addAll(ids);
      both.addAll(other.ids);
    }
    return new LateDelivery(
        topic,
        List.copyOf(both),
        Math.min(sentMs, other.sentMs),
        Math.max(deliveredMs, other.deliveredMs),
        Math.max(delayMs, other.delayMs));
  }

  /** Returns the same messages under another topic and without identities. */
  public LateDelivery under(String covering) {
    return new LateDelivery(covering, List.of(), sentMs, deliveredMs, delayMs);
  }

  /** Returns whether a topic or pattern may match one of the messages. */
  boolean concerns(String interest) {
    return TopicPattern.covers(interest, topic)
        || TopicPattern.isPattern(topic)
            && (TopicPattern.isPattern(interest) || TopicPattern.covers(topic, interest));
  }
}
