package io.sluice.cluster;

/** Message between nodes, encoded by {@link MessageCodec}. Immutable, for any thread. */
sealed interface ClusterMessage {
  /**
   * @param node the sender
   * @param number sequence number in this incarnation; messages may arrive out of order
   */
  record Status(Node node, long number) implements ClusterMessage {}

  /** Message of {@link ActiveTopics}, which decodes it. */
  record Topics(byte[] bytes) implements ClusterMessage {}

  /** Content for {@link NodeMessages}. */
  record Content(byte[] bytes) implements ClusterMessage {}
}
