package io.sluice.client;

/**
 * Listener of one subscription. Listeners of a client are called one at a time. A slow listener
 * delays all of them, and in the end the node.
 */
@FunctionalInterface
public interface SubscriptionListener {
  /** Called for each new message. */
  void onMessage(Message message);

  /**
   * Called if messages may be missing between the last message and the next. If {@link
   * Gap#startsOver}, the current state follows as replayed messages, some of them repeated.
   */
  default void onGap(Gap gap) {}

  /** Called when the state has changed. */
  default void onState(SubscriptionState state) {}

  /** Called when the node has refused or ended the subscription, or this listener has thrown. */
  default void onError(SluiceException error) {}
}
