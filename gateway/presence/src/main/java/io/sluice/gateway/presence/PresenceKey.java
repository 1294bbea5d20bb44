package io.sluice.gateway.presence;

import java.util.NavigableMap;

/**
 * Key of a replicated {@link PresenceEntry}. Immutable, for any thread.
 *
 * @param topic empty for the owner itself
 * @param id of a member; empty for the number of members
 */
record PresenceKey(String topic, String id) implements Comparable<PresenceKey> {
  /** Key of {@link PresenceEntry.Owner}. */
  static final PresenceKey OWNER = new PresenceKey("", "");

  private static final String WATCH = "!";

  /** Returns the key of {@link PresenceEntry.Watch}; no id of a member is equal to its id. */
  static PresenceKey watch(String topic) {
    return new PresenceKey(topic, WATCH);
  }

  boolean isWatch() {
    return id.equals(WATCH);
  }

  static PresenceKey count(String topic) {
    return new PresenceKey(topic, "");
  }

  /** Returns the entries of a topic. */
  static NavigableMap<PresenceKey, PresenceEntry> ofTopic(
      NavigableMap<PresenceKey, PresenceEntry> entries, String topic) {
    return entries.subMap(count(topic), true, count(topic + '\0'), false);
  }

  @Override
  public int compareTo(PresenceKey other) {
    int byTopic = topic.compareTo(other.topic);
    return byTopic != 0 ? byTopic : id.compareTo(other.id);
  }
}
