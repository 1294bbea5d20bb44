package io.sluice.gateway.broker;

/** Learns of the node's connection to the broker. Called on the control thread. */
public interface BrokerListener {
  /** The broker is reachable, and every interest from before the connection stands. */
  void onLive();

  /**
   * A canary has returned over every connection between a probe and the proof. It dates the
   * messages that the broker accepted before it. Parameters as for {@link #onProbe}.
   */
  default void onCanary(long sequence, long roundTripMs) {}

  /**
   * A canary has returned over every connection. It proves nothing alone, because each consumer has
   * its own queue at the broker. Comes only between {@link #onLive()} and {@link #onLost()}.
   *
   * @param sequence the smallest of the broker's numbers of these canaries, or {@link
   *     Broker#NO_SEQUENCE}
   * @param roundTripMs time since the first of them was sent
   */
  void onProbe(long sequence, long roundTripMs);

  /**
   * A later canary, sent after the call of {@link #onProbe}, has returned, too. What the broker
   * accepted before {@code sentMs} has reached each interest of which no message arrived since
   * {@link #onProbe} that the broker had accepted before the probe. Comes before the next {@link
   * #onProbe}.
   *
   * @param sentMs time at which the probe was sent, by this node's wall clock, in milliseconds
   *     since 1970
   */
  void onProof(long sentMs);

  /** The broker is lost: whatever is published now may never arrive. */
  void onLost();
}
