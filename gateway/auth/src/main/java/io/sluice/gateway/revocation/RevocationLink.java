package io.sluice.gateway.revocation;

/**
 * Node at the other end of a link, the root or a leaf of this one. An object is one connection. Any
 * thread.
 */
public interface RevocationLink {
  /** Returns whether the node is the root. */
  boolean isRoot();

  /** Sends a message, in order. It may be lost. Never blocks. */
  void send(byte[] message);

  /** Closes the link with a reason. */
  void close(String why);
}
