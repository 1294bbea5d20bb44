package io.sluice.gateway.shard;

import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.MessageForm;
import io.sluice.gateway.protocol.Start;

/** State of one client's subscription. Bound to the event loop of the client's shard. */
final class SubscriptionState implements Subscription {
  final Subscriber subscriber;
  final SubscribedTopic topic;
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

  SubscriptionState(
      Subscriber subscriber,
      SubscribedTopic topic,
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

  @Override
  public String topic() {
    return topic.name;
  }

  @Override
  public long provenMs() {
    return topic.provenMs();
  }

  @Override
  public boolean isBehind() {
    return paced != null && paced.isBehind();
  }

  @Override
  public boolean isTagged() {
    return tagged;
  }

  @Override
  public Delivery delivery() {
    return delivery;
  }

  @Override
  public void end() {
    topic.end(this);
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

  @Override
  public long ref() {
    return ref;
  }
}
