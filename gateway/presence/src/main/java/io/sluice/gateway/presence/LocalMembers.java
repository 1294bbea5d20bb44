package io.sluice.gateway.presence;

import io.sluice.gateway.protocol.presence.PresenceMember;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * Members that are connected to this node, and those in their grace time. Bound to the presence
 * thread.
 */
final class LocalMembers {
  private final Map<String, LocalTopic> topics = new HashMap<>();

  /** Members in their grace time, in the order of its end, and some that have returned. */
  private final Queue<Absence> absences = new ArrayDeque<>();

  private final long absenceMs;
  private final int maxAbsences;
  private final Consumer<String> changes;
  private int count;

  /** End of the grace time of a member. */
  private record Absence(String topic, String id, long untilMs) {}

  /**
   * @param absenceMs time for which a disconnected member remains
   * @param maxAbsences maximum number of members in their grace time; others leave at once
   * @param changes receives topics whose members have changed
   */
  LocalMembers(long absenceMs, int maxAbsences, Consumer<String> changes) {
    this.absenceMs = absenceMs;
    this.maxAbsences = maxAbsences;
    this.changes = changes;
  }

  /** Returns the number of members of all topics. */
  int count() {
    return count;
  }

  /** Returns the members of a topic, or null. */
  LocalTopic topic(String topic) {
    return topics.get(topic);
  }

  /** Returns all topics by name. */
  Map<String, LocalTopic> topics() {
    return topics;
  }

  /** Adds a connection of a member; the member's info is replaced. */
  void enter(String name, PresenceMember member) {
    enter(name, member, 1, true);
  }

  /** Adds a member to a topic; see {@link LocalTopic#enter}. */
  void enter(String name, PresenceMember member, int connections, boolean replaces) {
    LocalTopic topic = topics.computeIfAbsent(name, key -> new LocalTopic());
    int before = topic.size();
    if (topic.enter(member, connections, replaces)) {
      count += topic.size() - before;
      changes.accept(name);
    }
  }

  /** Sets the number of members of leaves that these do not list. */
  void unlisted(String name, int number) {
    LocalTopic topic =
        number == 0 ? topics.get(name) : topics.computeIfAbsent(name, key -> new LocalTopic());
    if (topic != null && topic.unlisted(number)) {
      changes.accept(name);
    }
  }

  /**
   * Removes a connection of a member.
   *
   * @param atOnce whether the member leaves without a grace time
   */
  void leave(String name, String id, boolean atOnce, long nowMs) {
    LocalTopic topic = topics.get(name);
    if (topic == null || !topic.disconnect(id)) {
      return;
    }
    if (atOnce || absenceMs == 0 || absences.size() >= maxAbsences) {
      remove(name, topic, id);
    } else {
      topic.setAbsent(id, nowMs + absenceMs);
      absences.add(new Absence(name, id, nowMs + absenceMs));
    }
  }

  private void remove(String name, LocalTopic topic, String id) {
    topic.remove(id);
    count--;
    changes.accept(name);
  }

  /** Removes members whose grace time is over. */
  void expire(long nowMs) {
    while (!absences.isEmpty() && absences.peek().untilMs() <= nowMs) {
      Absence over = absences.remove();
      LocalTopic topic = topics.get(over.topic());
      if (topic != null && topic.isAbsentUntil(over.id(), over.untilMs())) {
        remove(over.topic(), topic, over.id());
      }
    }
  }

  /** Forgets a topic whose last change was sent and which has no members. */
  void forget(String name) {
    topics.remove(name);
  }
}
