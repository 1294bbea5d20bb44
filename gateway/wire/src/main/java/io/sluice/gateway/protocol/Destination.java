package io.sluice.gateway.protocol;

import java.util.Comparator;

/**
 * Name of a topic or a queue. Immutable, for any thread. Comparable for hash maps, as {@link
 * InterestKey}.
 *
 * @param name a valid name, no pattern
 */
public record Destination(Kind kind, String name) implements Comparable<Destination> {
  private static final Comparator<Destination> ORDER =
      Comparator.comparing(Destination::name).thenComparing(Destination::kind);

  /** Types of destination. */
  public enum Kind {
    /** Each message is delivered to all subscribers. */
    TOPIC,
    /** Each message is delivered to one consumer. */
    QUEUE
  }

  /** Returns a topic. */
  public static Destination topic(String name) {
    return new Destination(Kind.TOPIC, name);
  }

  /** Returns a queue. */
  public static Destination queue(String name) {
    return new Destination(Kind.QUEUE, name);
  }

  @Override
  public int compareTo(Destination other) {
    return ORDER.compare(this, other);
  }

  /** Returns whether this is a queue. */
  public boolean isQueue() {
    return kind == Kind.QUEUE;
  }

  /** Returns the destination that a frame names by exactly one of two members. */
  public static Destination of(String topic, String queue) throws BadFrame {
    if (topic != null && queue != null) {
      throw new BadFrame("\"topic\" and \"queue\" exclude each other");
    }
    if (topic == null && queue == null) {
      throw new BadFrame("\"topic\" or \"queue\" is missing");
    }
    return topic != null ? topic(topic) : queue(queue);
  }
}
