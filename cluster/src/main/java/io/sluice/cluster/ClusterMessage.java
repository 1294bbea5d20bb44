package io.sluice.cluster;

import java.util.List;

/** Message between nodes, encoded by {@link MessageCodec}. Immutable, for any thread. */
sealed interface ClusterMessage {
  /**
   * @param node the sender
   * @param number higher than all before it of this life, since two may overtake each other
   */
  record Status(Node node, long number) implements ClusterMessage {}

  /**
   * @param id for the answer
   * @param limit names that the asking node wants, at most
   */
  record TopicsRequest(long id, int limit) implements ClusterMessage {}

  /**
   * Some of the names that were asked for.
   *
   * @param id of the request
   * @param index counts the parts of an answer from 0
   * @param last whether no other part follows
   * @param names of topics
   */
  record Topics(long id, int index, boolean last, List<String> names) implements ClusterMessage {}

  /**
   * A change of the sender's set of active topics. Without names it is a digest: base and revision
   * are then the same.
   *
   * @param base revision that it applies to
   * @param revision of the set after it
   * @param added names of topics
   * @param removed names of topics
   */
  record TopicsChange(long base, long revision, List<String> added, List<String> removed)
      implements ClusterMessage {}

  /** Requests the receiver's whole set of active topics. */
  record TopicsStateRequest() implements ClusterMessage {}

  /**
   * Part of the sender's whole set of active topics.
   *
   * @param revision of the set; the same in all parts
   * @param index counts the parts from 0
   * @param last whether no other part follows
   * @param names of topics
   */
  record TopicsState(long revision, int index, boolean last, List<String> names)
      implements ClusterMessage {}
}
