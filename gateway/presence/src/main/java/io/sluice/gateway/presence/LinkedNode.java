package io.sluice.gateway.presence;

/**
 * Node at the other end of a link, the root or a leaf of this one; an object is one connection. Any
 * thread.
 */
public interface LinkedNode {
  /**
   * Returns the name by which the loss of the node is remembered: of roots that replace each other,
   * the same.
   */
  String name();

  /** Returns whether the node is the root. */
  boolean isRoot();

  /** Returns whether the leaf of the link may report its members of a topic. */
  boolean mayReport(String topic);

  /** Returns whether the leaf of the link may see the members of a topic. */
  boolean maySee(String topic);

  /** Sends a message, in order. It may be lost. Never blocks. */
  void send(byte[] message);

  /** Returns whether messages wait for the network, so that no others should be sent. */
  boolean isFull();

  /** Closes the link with a reason. */
  void close(String why);
}
