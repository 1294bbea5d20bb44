package io.sluice.gateway.presence;

import java.util.List;

/** Message between nodes, encoded by {@link PresenceCodec}. Immutable, for any thread. */
sealed interface PresenceMessage {
  /**
   * Change of the sender's members. Without topics it is a digest: base and revision are equal.
   *
   * @param node name of the sender
   * @param base revision that it applies to
   * @param revision of the members after it
   */
  record Change(String node, long base, long revision, List<PresenceChange> topics)
      implements PresenceMessage {}

  /** Requests all members of the receiver. */
  record Request() implements PresenceMessage {}

  /**
   * Part of all members of the sender. Changes may follow between two parts.
   *
   * @param node name of the sender
   * @param revision of the members at the time of sending
   * @param index number of the part, from 0
   * @param last whether no other part follows
   */
  record State(String node, long revision, int index, boolean last, List<PresenceChange> topics)
      implements PresenceMessage {}

  /** Announces that the sender leaves the cluster. */
  record Farewell() implements PresenceMessage {}
}
