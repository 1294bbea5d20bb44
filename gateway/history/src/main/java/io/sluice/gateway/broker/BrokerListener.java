package io.sluice.gateway.broker;

/** Receiver of events of the node's connections to the broker. Called on the control thread. */
public interface BrokerListener {
  /** The broker is connected, and every interest that existed before is active. */
  void onLive();

  /**
   * A canary has returned over every connection. It dates the messages that the broker accepted
   * before it. Called before {@link #onProof} and {@link #onProbe} of the same canary.
   *
   * @param sequence the smallest sequence of these canaries, or {@link Broker#NO_SEQUENCE}
   * @param roundTripMs time since the first of them was sent
   */
  default void onCanary(long sequence, long roundTripMs) {}

  /**
   * A returned canary begins a round. It is no proof alone, because each consumer has a separate
   * queue at the broker. Called only between {@link #onLive()} and {@link #onLost()}.
   *
   * @param sequence as for {@link #onCanary}
   */
  void onProbe(long sequence);

  /**
   * A later canary, sent after the call of {@link #onProbe}, has returned, too. An interest has now
   * received all messages that the broker accepted before {@code sentMs}. The exception: a message
   * accepted before the probe has arrived after {@link #onProbe}. Called before the next {@link
   * #onProbe}.
   *
   * @param sentMs time at which the probe was sent, by this node's monotonic clock ({@link
   *     System#nanoTime}), in milliseconds
   */
  void onProof(long sentMs);

  /**
   * The evidence for the identity of messages has changed. Before the first call it is {@link
   * IdentityState#NONE}.
   *
   * @param reason the evidence in words
   */
  default void onIdentity(IdentityState state, String reason) {}

  /** Messages of any topic may be missing, although the broker is connected. */
  default void onMessagesMissing() {}

  /** The broker is lost: messages that are published now may never arrive. */
  void onLost();
}
