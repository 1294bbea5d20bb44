package io.sluice.gateway.protocol;

/**
 * Queue, or durable or shared subscription, whose messages a client consumes. The name of the queue
 * or the topic is not validated yet. Immutable, for any thread.
 *
 * @param destination the queue, or the topic or pattern of the subscription
 * @param name name of the subscription, which is valid; null for a queue
 */
public record ConsumerSource(Kind kind, Destination destination, String name) {
  /** Types of source. */
  public enum Kind {
    /** Queue of the broker. */
    QUEUE("queue"),
    /** Subscription that exists until it is deleted. */
    DURABLE("durable"),
    /** Subscription that exists while it has a consumer. */
    SHARED("shared");

    private final String member;

    Kind(String member) {
      this.member = member;
    }

    /** Returns the member of frames that has the name of the queue or the subscription. */
    public String member() {
      return member;
    }
  }

  /** Returns a queue. */
  public static ConsumerSource queue(String queue) {
    return new ConsumerSource(Kind.QUEUE, Destination.queue(queue), null);
  }

  /** Returns a durable subscription. */
  public static ConsumerSource durable(String topic, String name) {
    return new ConsumerSource(Kind.DURABLE, Destination.topic(topic), name);
  }

  /** Returns a shared subscription. */
  public static ConsumerSource shared(String topic, String name) {
    return new ConsumerSource(Kind.SHARED, Destination.topic(topic), name);
  }

  /** Returns whether this is a queue. */
  public boolean isQueue() {
    return kind == Kind.QUEUE;
  }
}
