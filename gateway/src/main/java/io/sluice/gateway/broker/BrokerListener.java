package io.sluice.gateway.broker;

/** Learns of the node's connection to the broker. Called on the control thread. */
public interface BrokerListener {
  /** The broker is reachable; interests are being opened, one after the other. */
  void onConnected();

  /** All interests that were open stand again after {@link #onConnected()}. */
  void onLive();

  /** The broker is lost: whatever is published now may never arrive. */
  void onLost();
}
