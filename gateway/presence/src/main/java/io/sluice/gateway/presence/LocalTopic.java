package io.sluice.gateway.presence;

import io.sluice.gateway.protocol.presence.PresenceMember;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Members of a topic at this node, and the state sent to others. Bound to the presence thread. */
final class LocalTopic {
  /** Value of {@link #lastSentMs} before the first change was sent. */
  static final long NEVER = Long.MIN_VALUE / 2;

  private final Map<String, Entry> entries = new HashMap<>();

  /** Ids of members that may differ from the sent ones. */
  private final Set<String> changed = new HashSet<>();

  /** Members as sent; null if they were too many. */
  private Map<String, PresenceMember> sent = new HashMap<>();

  private int sentCount;
  private long lastSentMs = NEVER;

  /** Member with the number of its connections. */
  private static final class Entry {
    private PresenceMember member;
    private int connections;
    private long absentUntilMs;
  }

  int size() {
    return entries.size();
  }

  /** Returns when a change was sent last. */
  long lastSentMs() {
    return lastSentMs;
  }

  /** Returns whether a change was sent and the topic has no members now. */
  boolean isUnused() {
    return entries.isEmpty() && sentCount == 0 && changed.isEmpty();
  }

  /** Adds a connection of a member. Returns whether the member is new or has other info. */
  boolean enter(PresenceMember member) {
    Entry entry = entries.computeIfAbsent(member.id(), id -> new Entry());
    entry.connections++;
    if (member.equals(entry.member)) {
      return false;
    }
    entry.member = member;
    changed.add(member.id());
    return true;
  }

  /** Removes a connection. Returns whether the member has no other. */
  boolean disconnect(String id) {
    Entry entry = entries.get(id);
    return entry != null && entry.connections > 0 && --entry.connections == 0;
  }

  void setAbsent(String id, long untilMs) {
    entries.get(id).absentUntilMs = untilMs;
  }

  boolean isAbsentUntil(String id, long untilMs) {
    Entry entry = entries.get(id);
    return entry != null && entry.connections == 0 && entry.absentUntilMs == untilMs;
  }

  void remove(String id) {
    entries.remove(id);
    changed.add(id);
  }

  /** Adds the members that are connected, or those that are absent. */
  void addTo(Map<String, PresenceMember> members, boolean connected) {
    entries.forEach(
        (id, entry) -> {
          if (entry.connections > 0 == connected) {
            members.putIfAbsent(id, entry.member);
          }
        });
  }

  /**
   * Returns the change since the last one, which is considered sent; null if there is none.
   *
   * @param maxListed number of members above which only their count is sent
   */
  PresenceChange nextChange(String name, int maxListed, long nowMs) {
    int count = entries.size();
    PresenceChange next = null;
    if (count > maxListed) {
      if (sent != null || sentCount != count) {
        next = new PresenceChange(name, count, false, true, List.of(), List.of());
      }
      sent = null;
    } else {
      boolean reset = sent == null;
      if (reset) {
        sent = new HashMap<>();
        changed.addAll(entries.keySet());
      }
      next = difference(name, reset);
    }
    changed.clear();
    sentCount = count;
    if (next != null) {
      lastSentMs = nowMs;
    }
    return next;
  }

  private PresenceChange difference(String name, boolean reset) {
    List<PresenceMember> joined = new ArrayList<>();
    List<String> left = new ArrayList<>();
    for (String id : changed) {
      Entry entry = entries.get(id);
      if (entry == null) {
        if (sent.remove(id) != null) {
          left.add(id);
        }
      } else if (!entry.member.equals(sent.put(id, entry.member))) {
        joined.add(entry.member);
      }
    }
    return reset || !joined.isEmpty() || !left.isEmpty()
        ? new PresenceChange(name, entries.size(), true, reset, joined, left)
        : null;
  }

  /** Returns the state as sent to others; null without members. */
  PresenceChange sentState(String name) {
    if (sentCount == 0) {
      return null;
    }
    List<PresenceMember> members = sent == null ? List.of() : List.copyOf(sent.values());
    return new PresenceChange(name, sentCount, sent != null, true, members, List.of());
  }
}
