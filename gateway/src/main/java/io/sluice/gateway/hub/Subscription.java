package io.sluice.gateway.hub;

/** One client's interest in a topic. Bound to the event loop of the client's shard. */
public final class Subscription {
  final Subscriber subscriber;
  final ShardTopic topic;
  final long ref;

  /** Where it stands among those that wait for the broker, or among the admitted. */
  int index;

  /** Whether its answer has been given and messages reach it. */
  boolean admitted;

  Subscription(Subscriber subscriber, ShardTopic topic, long ref) {
    this.subscriber = subscriber;
    this.topic = topic;
    this.ref = ref;
  }

  /** The topic or pattern. */
  public String topic() {
    return topic.name;
  }

  /** The client's number for the frame that asked for it. */
  public long ref() {
    return ref;
  }
}
