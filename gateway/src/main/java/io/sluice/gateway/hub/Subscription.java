package io.sluice.gateway.hub;

import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.MessageForm;
import io.sluice.gateway.protocol.Start;

/**
 * One client's interest in a topic, identified by its topic or, if it is tagged, by its ref. Bound
 * to the event loop of the client's shard.
 */
public final class Subscription {
  final Subscriber subscriber;
  final ShardTopic topic;
  final long ref;
  final Start start;
  final Delivery delivery;

  /** Whether its frames carry its ref, so that it is never handed those of others. */
  final boolean tagged;

  /** What it is sent at its own pace, or null if it gets everything as it comes. */
  Paced paced;

  /** Whether the shard looks after {@link #paced} already. */
  boolean due;

  /** Where it stands among those that wait for the broker, or among the admitted. */
  int index;

  /** Whether its answer has been given and messages reach it. */
  boolean admitted;

  Subscription(
      Subscriber subscriber,
      ShardTopic topic,
      long ref,
      boolean tagged,
      Start start,
      Delivery delivery) {
    this.subscriber = subscriber;
    this.topic = topic;
    this.ref = ref;
    this.tagged = tagged;
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
    return paced != null && paced.isBehind();
  }

  /** Whether it is identified by its ref, which its frames carry. */
  public boolean isTagged() {
    return tagged;
  }

  /** The ref that its gaps carry. */
  long tag() {
    return tagged ? ref : ClientFrame.NO_REF;
  }

  /** The form of messages from which it is served. */
  MessageForm form() {
    Encoding encoding = subscriber.encoding();
    return tagged ? MessageForm.tagBase(encoding) : MessageForm.of(encoding);
  }

  /** The client's number for the frame that asked for it. */
  public long ref() {
    return ref;
  }
}
