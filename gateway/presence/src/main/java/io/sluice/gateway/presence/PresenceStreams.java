package io.sluice.gateway.presence;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;

/**
 * States of this node that are being sent to other nodes in parts. A part contains the members as
 * sent by the latest change. Bound to the presence thread.
 */
final class PresenceStreams {
  private final PresenceOptions options;
  private final LocalMembers members;
  private final PresenceLink link;
  private final Map<Object, Progress> active = new HashMap<>();

  /** Topics that are not sent yet. */
  private static final class Progress {
    private final Queue<String> topics;
    private int index;

    Progress(Set<String> names) {
      topics = new ArrayDeque<>(names);
    }
  }

  PresenceStreams(PresenceOptions options, LocalMembers members, PresenceLink link) {
    this.options = options;
    this.members = members;
    this.link = link;
  }

  /** Starts to send the state; the first part precedes all later changes. */
  void start(Object peer, long revision) {
    Progress progress = new Progress(members.topics().keySet());
    active.put(peer, progress);
    send(peer, progress, revision);
  }

  /** Stops to send to nodes that are not in the view. */
  void retain(Set<Object> peers) {
    active.keySet().retainAll(peers);
  }

  /** Sends the next parts. */
  void onTick(long revision) {
    for (Object peer : List.copyOf(active.keySet())) {
      send(peer, active.get(peer), revision);
    }
  }

  private void send(Object peer, Progress progress, long revision) {
    PresenceParts parts = new PresenceParts();
    while (!progress.topics.isEmpty() && parts.size() < options.partsPerTick()) {
      String name = progress.topics.remove();
      LocalTopic topic = members.topic(name);
      PresenceChange state = topic == null ? null : topic.sentState(name);
      if (state != null) {
        parts.add(state);
      }
    }
    boolean last = progress.topics.isEmpty();
    List<byte[]> bodies = parts.end(last);
    for (int i = 0; i < bodies.size(); i++) {
      boolean isLast = last && i == bodies.size() - 1;
      link.send(
          peer,
          PresenceCodec.state(options.node(), revision, progress.index++, isLast, bodies.get(i)));
    }
    if (last) {
      active.remove(peer);
    }
  }
}
