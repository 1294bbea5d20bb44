package io.sluice.gateway.peer;

/** State that linked nodes exchange: presence or revocations. Any thread. */
public interface LinkExchange {
  /** A link is open. */
  void onLinked(LinkedNode node);

  /** Handles a message of a linked node. */
  void onLinkMessage(LinkedNode from, byte[] message);

  /** A link is closed. */
  void onUnlinked(LinkedNode node);
}
