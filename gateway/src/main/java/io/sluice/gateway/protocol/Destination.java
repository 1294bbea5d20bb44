package io.sluice.gateway.protocol;

/**
 * Name of a topic or a queue. Immutable, for any thread.
 *
 * @param name a valid name, no pattern
 */
public record Destination(Kind kind, String name) {
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

  /** Returns whether this is a queue. */
  public boolean isQueue() {
    return kind == Kind.QUEUE;
  }
}
