package io.sluice.gateway.presence;

import io.sluice.gateway.protocol.presence.PresenceMember;

/** Replicated part of the members of one node. Immutable, for any thread. */
sealed interface PresenceEntry {
  /**
   * The node.
   *
   * @param incomplete whether some of its members are not replicated, because its map is full
   */
  record Owner(String name, boolean incomplete) implements PresenceEntry {}

  /** Number of members of a topic that has too many for a list. */
  record Count(int members) implements PresenceEntry {}

  /** State of a topic that a leaf watches over its link. A leaf sends only {@link #COMPLETE}. */
  enum Watch implements PresenceEntry {
    COMPLETE,
    /** Members may be missing. */
    PARTIAL,
    /** The root does not permit it. */
    REFUSED
  }

  /**
   * Member of a topic with a list; the key has its id.
   *
   * @param info may be null
   */
  record Listed(String subject, String info) implements PresenceEntry {
    PresenceMember member(String id) {
      return new PresenceMember(id, subject, info);
    }
  }
}
