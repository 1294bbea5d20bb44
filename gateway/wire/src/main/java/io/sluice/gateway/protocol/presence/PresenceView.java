package io.sluice.gateway.protocol.presence;

import java.util.List;

/**
 * State of the presence of a topic at all nodes. Immutable, for any thread.
 *
 * @param count number of members
 * @param members all members by id, or null if there are too many
 * @param partial whether members at other nodes may be missing
 */
public record PresenceView(int count, List<PresenceMember> members, boolean partial) {
  /** Returns whether there are too many members for a list. */
  public boolean isTruncated() {
    return members == null;
  }
}
