package io.sluice.gateway.link;

/** Presence or revocations over links. Any thread. */
public interface LinkExchange {
  /** A node is linked. */
  void onOpened(LinkPeer peer);

  /** A linked node has sent a message. */
  void onMessage(LinkPeer peer, byte[] message);

  /** The link is closed. */
  void onClosed(LinkPeer peer);
}
