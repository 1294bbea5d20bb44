package io.sluice.gateway.presence;

/**
 * Sender of messages to other nodes, in order per node. A message may be lost. Called on the
 * presence thread; must not block.
 */
@FunctionalInterface
public interface PresenceLink {
  /** Link of a node without a cluster. */
  PresenceLink NONE = (peer, message) -> {};

  /**
   * Sends a message.
   *
   * @param peer a node of the latest view
   */
  void send(Object peer, byte[] message);
}
