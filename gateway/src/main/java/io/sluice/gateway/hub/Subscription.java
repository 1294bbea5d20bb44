package io.sluice.gateway.hub;

import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Start;

/** One client's interest in a topic. Bound to the event loop of the client's shard. */
public final class Subscription {
  final Subscriber subscriber;
  final ShardTopic topic;
  final long ref;
  final Start start;
  final Delivery delivery;

  /** What it is sent at its own pace, or null if it gets everything as it comes. */
  Paced paced;

  /** Whether the shard looks after {@link #paced} already. */
  boolean due;

  /** Where it stands among those that wait for the broker, or among the admitted. */
  int index;

  /** Whether its answer has been given and messages reach it. */
  boolean admitted;

  Subscription(Subscriber subscriber, ShardTopic topic, long ref, Start start, Delivery delivery) {
    this.subscriber = subscriber;
    this.topic = topic;
    this.ref = ref;
    this.start = start;
    this.delivery = delivery;
  }

  /** The topic or pattern. */
  public String topic() {
    return topic.name;
  }

  /** The latest proof that the broker delivers which holds for its topic; 0 if there is none. */
  public long provenMs() {
    return topic.provenMs();
  }

  /** Whether its client has not been sent all that others have. */
  public boolean isBehind() {
    return paced instanceof CatchUp;
  }

  /** The client's number for the frame that asked for it. */
  public long ref() {
    return ref;
  }
}
