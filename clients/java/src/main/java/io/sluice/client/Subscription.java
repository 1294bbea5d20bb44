package io.sluice.client;

import io.sluice.client.internal.Continuity;
import java.util.Map;

/** Subscription to a topic or pattern. It survives reconnects until it is closed. */
public final class Subscription implements AutoCloseable {
  final SubscribeOptions options;
  final Continuity continuity;

  /** Number of consecutive refusals; a task of the dispatcher changes it. */
  int failures;

  /** Number of answers, gaps and refusals; a task of the dispatcher changes it. */
  int generation;

  private final Subscriptions owner;
  private final SubscriptionListener listener;
  private final String topic;
  private volatile SubscriptionState state = SubscriptionState.PENDING;

  Subscription(
      Subscriptions owner, String topic, SubscribeOptions options, SubscriptionListener listener) {
    this.owner = owner;
    this.topic = topic;
    this.options = options;
    this.listener = listener;
    continuity = new Continuity(options.from());
  }

  /** Returns the topic or pattern. */
  public String topic() {
    return topic;
  }

  /** Returns the current state. */
  public SubscriptionState state() {
    return state;
  }

  /**
   * Returns the position after the latest message, to be stored for a later subscription; null
   * before the first answer and during a snapshot. Within {@link SubscriptionListener#onMessage} it
   * includes that message.
   */
  public Position position() {
    Map<?, ?> position = continuity.position();
    return position == null ? null : Position.of(position);
  }

  /** Ends the subscription. A message that is being delivered may still arrive. */
  @Override
  public void close() {
    owner.close(this);
  }

  String key() {
    return Subscriptions.key(topic, options.where());
  }

  boolean isTagged() {
    return options.where() != null;
  }

  /** Returns a request for it. */
  Map<String, Object> frame(long ref, Object from) {
    Map<String, Object> frame = SluiceClient.frame("subscribe");
    frame.put("ref", ref);
    frame.put("topic", topic);
    frame.putAll(options.members());
    if (from != null) {
      frame.put("from", from);
    }
    return frame;
  }

  /** Returns the withdrawal of a request. */
  Map<String, Object> unsubscribe(long ref, long request) {
    Map<String, Object> frame = SluiceClient.frame("unsubscribe");
    frame.put("ref", ref);
    frame.put("topic", topic);
    if (isTagged()) {
      frame.put("subscription", request);
    }
    return frame;
  }

  void onState(SubscriptionState next) {
    if (state != next && state != SubscriptionState.CLOSED) {
      state = next;
      call(() -> listener.onState(next));
    }
  }

  void onMessage(Message message) {
    call(() -> listener.onMessage(message));
  }

  void onGap(String reason) {
    call(() -> listener.onGap(new Gap(topic, reason)));
  }

  void onError(SluiceException error) {
    owner.guard(() -> listener.onError(error));
  }

  /** Calls the listener. A failure of it does not end the subscription. */
  private void call(Runnable callback) {
    try {
      callback.run();
    } catch (Throwable e) { // Kotlin has no checked exceptions
      String message = "listener of " + topic + " has failed: " + e;
      onError(new SluiceException("handler-failed", message, e));
    }
  }
}
