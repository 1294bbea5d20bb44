package io.sluice.gateway.broker;

/** Learns of the node's connection to the broker. Called on the control thread. */
public interface BrokerListener {
  /** The broker is reachable, and every interest from before the connection stands. */
  void onLive();

  /**
   * The broker still delivers: what it took from publishers before {@code sentMs}, less a margin
   * for clocks and for what was still on its way through this node, has reached the interests that
   * stood then. Comes only between {@link #onLive()} and {@link #onLost()}.
   *
   * @param sentMs a time of this node's wall clock, in milliseconds since 1970
   */
  void onProof(long sentMs);

  /** The broker is lost: whatever is published now may never arrive. */
  void onLost();
}
