package io.sluice.gateway.link;

/** Presence over links, whose module may be missing. Any thread. */
public interface LinkPresence {
  /** A node is linked. */
  void onOpened(LinkPeer peer);

  /** A linked node has sent a message. */
  void onMessage(LinkPeer peer, byte[] message);

  /** The link is closed. */
  void onClosed(LinkPeer peer);
}
