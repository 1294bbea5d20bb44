package io.sluice.gateway.presence;

import io.sluice.cluster.replica.ReplicatedMap;
import io.sluice.gateway.protocol.presence.PresenceMember;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;

/** Members of a topic at this node. Bound to the presence thread. */
final class LocalTopic {
  /** Value of {@link #lastSentMs} before the first change was sent. */
  static final long NEVER = Long.MIN_VALUE / 2;

  private final Map<String, Entry> entries = new HashMap<>();

  /** Ids of members that may differ from the replicated ones; empty for their count. */
  private final Set<String> changed = new HashSet<>();

  /** True if the members that are not changed are replicated, not only their count. */
  private boolean listed = true;

  private boolean incomplete;

  /** Number of members of leaves that these do not list. */
  private int unlisted;

  private long lastSentMs = NEVER;

  /** Member with the number of its connections. */
  private static final class Entry {
    private PresenceMember member;
    private int connections;
    private long absentUntilMs;
  }

  int size() {
    return entries.size() + unlisted;
  }

  /** Returns the number of members that leaves do not list. */
  int unlisted() {
    return unlisted;
  }

  /** Returns whether other nodes receive the members, not only their number. */
  boolean isListed(int maxListed) {
    return unlisted == 0 && entries.size() <= maxListed;
  }

  /** Sets the number of members that leaves do not list. Returns whether it has changed. */
  boolean unlisted(int number) {
    if (number == unlisted) {
      return false;
    }
    unlisted = number;
    changed.add("");
    return true;
  }

  /** Returns when a change was sent last. */
  long lastSentMs() {
    return lastSentMs;
  }

  /** Returns whether members are still to be replicated. */
  boolean isChanged() {
    return !changed.isEmpty();
  }

  /** Returns whether an entry exceeded the limit of the map. */
  boolean isIncomplete() {
    return incomplete;
  }

  /** Returns whether the topic has no members, here and at other nodes. */
  boolean isUnused() {
    return size() == 0 && changed.isEmpty();
  }

  /**
   * Adds a member, or changes its info. Returns whether the member is new or has other info.
   *
   * @param connections added connections of the member: 0 if a leaf had it before
   * @param replaces whether its info replaces that of another connection
   */
  boolean enter(PresenceMember member, int connections, boolean replaces) {
    Entry entry = entries.computeIfAbsent(member.id(), id -> new Entry());
    entry.connections += connections;
    if (entry.connections > 1 && !replaces || member.equals(entry.member)) {
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

  /**
   * Adds the members that are connected, or those that are absent.
   *
   * @param except ids of members at a leaf; without other connections they are omitted
   */
  void addTo(Map<String, PresenceMember> members, boolean connected, Set<String> except) {
    entries.forEach(
        (id, entry) -> {
          boolean omitted = entry.connections == 1 && except.contains(id);
          if (!omitted && entry.connections > 0 == connected) {
            members.putIfAbsent(id, entry.member);
          }
        });
  }

  /** Adds all members as replicated entries. */
  void addTo(Map<PresenceKey, PresenceEntry> replicated, String name) {
    entries.forEach((id, entry) -> replicated.put(new PresenceKey(name, id), listed(entry)));
  }

  /**
   * Replicates the members, or only their count, with the next tick of the map. Members that exceed
   * its limit remain changed. A switch takes two calls, because a tick may need several messages:
   * the count is added before the members are removed, and removed after they were added.
   *
   * @param maxListed number of members above which only their count is sent
   */
  void replicate(
      String name,
      int maxListed,
      ReplicatedMap<PresenceKey, PresenceEntry> replicated,
      long nowMs) {
    Map<PresenceKey, PresenceEntry> next = new LinkedHashMap<>();
    NavigableMap<PresenceKey, PresenceEntry> sent = PresenceKey.ofTopic(replicated.own(), name);
    PresenceKey key = PresenceKey.count(name);
    PresenceEntry count = new PresenceEntry.Count(size());
    boolean list = isListed(maxListed);
    boolean switches = list ? !listed : !sent.containsKey(key);
    if (list) {
      if (switches) {
        changed.addAll(entries.keySet());
        sent.keySet().forEach(former -> changed.add(former.id()));
      }
      changed.forEach(id -> next.put(new PresenceKey(name, id), listed(entries.get(id))));
    } else if (!switches || !replicated.put(key, count)) { // a full map has no room for both
      sent.keySet().forEach(former -> next.put(former, null));
    }
    if (switches || !list) {
      next.put(key, count);
    }
    listed = list;
    incomplete = false;
    changed.clear();
    if (switches) {
      changed.add(key.id());
    }
    next.forEach((changedKey, entry) -> replicate(changedKey, entry, replicated, nowMs));
  }

  private void replicate(
      PresenceKey key,
      PresenceEntry entry,
      ReplicatedMap<PresenceKey, PresenceEntry> replicated,
      long nowMs) {
    lastSentMs = Objects.equals(replicated.own().get(key), entry) ? lastSentMs : nowMs;
    if (entry == null) {
      replicated.remove(key);
    } else if (!replicated.put(key, entry)) {
      changed.add(key.id());
      incomplete = true;
    }
  }

  private static PresenceEntry listed(Entry entry) {
    return entry == null
        ? null
        : new PresenceEntry.Listed(entry.member.subject(), entry.member.info());
  }
}
