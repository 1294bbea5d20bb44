package io.sluice.gateway.presence;

import io.sluice.gateway.protocol.presence.PresenceMember;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Copy of the members of another node. Bound to the presence thread.
 *
 * <p>Messages of the owner arrive in order, but some may be lost. A missing revision leads to a
 * request for the whole state. Until its last part, the copy retains the former members, and
 * applies changes to the new ones only.
 */
final class PresenceCopy {
  /** Time without a message after which a request is repeated. */
  static final long TIMEOUT_MS = 5_000;

  /** Time after which the state of a new node is requested. */
  private static final long FIRST_TIMEOUT_MS = 1_000;

  private static final long UNKNOWN = -1;

  private final PresenceOptions options;
  private final Consumer<String> changes;
  private final Runnable request;
  private String node = "";
  private Map<String, CopiedTopic> topics = new HashMap<>();
  private long revision = UNKNOWN;

  /** New state that is being received; null if none was requested. */
  private Map<String, CopiedTopic> next;

  private long nextRevision;

  /** Number of parts of the new state. */
  private int parts;

  private long lastMs;
  private boolean leaving;

  /**
   * @param changes receives topics whose members may have changed
   * @param request requests the state of the owner
   */
  PresenceCopy(PresenceOptions options, Consumer<String> changes, Runnable request, long nowMs) {
    this.options = options;
    this.changes = changes;
    this.request = request;
    this.lastMs = nowMs - TIMEOUT_MS + FIRST_TIMEOUT_MS;
  }

  /** Members of a topic at the owner. */
  private static final class CopiedTopic {
    private int count;

    /** Members by id; null if the owner has too many. */
    private Map<String, PresenceMember> members = new HashMap<>();

    void apply(PresenceChange change, int maxListed) {
      count = change.count();
      if (!change.listed()) {
        members = null;
        return;
      }
      if (change.reset()) {
        members = new HashMap<>();
      }
      if (members != null) {
        change.left().forEach(members::remove);
        change.joined().forEach(member -> members.put(member.id(), member));
        if (members.size() > maxListed) { // the owner has another limit
          members = null;
        }
      }
    }
  }

  /** Returns the name of the owner; empty before its first message. */
  String node() {
    return node;
  }

  /** Returns whether the copy is complete. */
  boolean isCurrent() {
    return revision != UNKNOWN && next == null;
  }

  /** Returns whether the owner has announced that it leaves. */
  boolean isLeaving() {
    return leaving;
  }

  void onFarewell() {
    leaving = true;
  }

  void onChange(PresenceMessage.Change change, long nowMs) {
    node = change.node();
    if (next != null) {
      onChangeOfNext(change, nowMs);
      return;
    }
    if (revision == UNKNOWN && change.base() == 0) {
      revision = 0; // before its first change, the owner has no members
    }
    if (change.base() != revision) {
      request(nowMs);
      return;
    }
    lastMs = nowMs;
    revision = change.revision();
    for (PresenceChange topic : change.topics()) {
      apply(topics, topic);
      changes.accept(topic.topic());
    }
  }

  // Before its first part, the new state will contain all changes of the owner.
  private void onChangeOfNext(PresenceMessage.Change change, long nowMs) {
    if (parts == 0) {
      return;
    }
    if (change.base() != nextRevision) {
      request(nowMs);
      return;
    }
    nextRevision = change.revision();
    change.topics().forEach(topic -> apply(next, topic));
  }

  void onState(PresenceMessage.State part, long nowMs) {
    node = part.node();
    if (next == null || part.index() > 0 && parts == 0) {
      return;
    }
    if (part.index() == 0) {
      next = new HashMap<>();
      parts = 0;
      nextRevision = part.revision();
    } else if (part.index() != parts || part.revision() != nextRevision) {
      request(nowMs);
      return;
    }
    lastMs = nowMs;
    parts++;
    part.topics().forEach(topic -> apply(next, topic));
    if (part.last()) {
      complete();
    }
  }

  private void apply(Map<String, CopiedTopic> target, PresenceChange change) {
    CopiedTopic topic = target.get(change.topic());
    if (topic == null && target.size() < options.maxTopics()) {
      topic = new CopiedTopic();
      target.put(change.topic(), topic);
    }
    if (topic != null) {
      topic.apply(change, options.members());
      if (topic.count == 0) {
        target.remove(change.topic());
      }
    }
  }

  private void complete() {
    Map<String, CopiedTopic> before = topics;
    topics = next;
    revision = nextRevision;
    next = null;
    before.keySet().forEach(changes);
    topics.keySet().stream().filter(topic -> !before.containsKey(topic)).forEach(changes);
  }

  private void request(long nowMs) {
    lastMs = nowMs;
    next = new HashMap<>();
    parts = 0;
    request.run();
  }

  /** Requests the state if the owner has not sent it in time. */
  void onTick(long nowMs) {
    if (!isCurrent() && nowMs - lastMs >= TIMEOUT_MS) {
      request(nowMs);
    }
  }

  /** Adds the members of a topic. Returns the number of those that the owner does not list. */
  int addTo(Map<String, PresenceMember> members, String name) {
    CopiedTopic topic = topics.get(name);
    if (topic == null) {
      return 0;
    }
    if (topic.members == null) {
      return topic.count;
    }
    topic.members.forEach(members::putIfAbsent);
    return 0;
  }

  /** Removes the topics without a list, because a member could be counted again at another node. */
  void onOwnerLost() {
    next = null;
    topics
        .entrySet()
        .removeIf(
            topic -> {
              changes.accept(topic.getKey());
              return topic.getValue().members == null;
            });
  }

  /** Reports all topics as changed, before this copy is discarded. */
  void discard() {
    topics.keySet().forEach(changes);
  }
}
