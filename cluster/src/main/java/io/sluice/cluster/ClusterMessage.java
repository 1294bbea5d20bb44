package io.sluice.cluster;

import java.util.List;

/** Message between nodes, encoded by {@link MessageCodec}. Immutable, for any thread. */
sealed interface ClusterMessage {
  /**
   * @param node the sender
   * @param number sequence number in this incarnation; messages may arrive out of order
   */
  record Status(Node node, long number) implements ClusterMessage {}

  /**
   * @param id of the request
   * @param limit largest number of names in the reply
   */
  record TopicsRequest(long id, int limit) implements ClusterMessage {}

  /**
   * Part of the reply to a request for topics.
   *
   * @param id of the request
   * @param index number of the part, from 0
   * @param last whether no other part follows
   * @param names of topics
   */
  record Topics(long id, int index, boolean last, List<String> names) implements ClusterMessage {}

  /**
   * Change of the sender's set of active topics. Without names it is a digest: base and revision
   * are equal then.
   *
   * @param base revision that it applies to
   * @param revision of the set after it
   * @param added names of topics
   * @param removed names of topics
   */
  record TopicsChange(long base, long revision, List<String> added, List<String> removed)
      implements ClusterMessage {}

  /** Content for {@link NodeMessages}. */
  record Content(byte[] bytes) implements ClusterMessage {}

  /** Requests the receiver's whole set of active topics. */
  record TopicsStateRequest() implements ClusterMessage {}

  /**
   * Part of the sender's whole set of active topics.
   *
   * @param revision of the set; the same in all parts
   * @param index number of the part, from 0
   * @param last whether no other part follows
   * @param names of topics
   */
  record TopicsState(long revision, int index, boolean last, List<String> names)
      implements ClusterMessage {}
}
