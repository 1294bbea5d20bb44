package io.sluice.gateway.presence;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Clients of this node that attend a topic. Bound to the presence thread. */
final class WatchedTopic {
  private final String topic;

  /** Receives clients that fall behind; called on their event loops. */
  private final Consumer<Attendance> laggards;

  /** Clients that receive changes, by event loop. */
  private final Map<Object, Set<Attendance>> watching = new HashMap<>();

  /** Clients whose request is not answered. */
  private final Set<Attendance> unanswered = new LinkedHashSet<>();

  /** Those of them that receive only the answer. */
  private final Set<Attendance> removed = new HashSet<>();

  private int attending;
  private PresenceState state;
  private long publishedMs = LocalTopic.NEVER;

  WatchedTopic(String topic, Consumer<Attendance> laggards) {
    this.topic = topic;
    this.laggards = laggards;
  }

  /** Adds a client, which is answered with the next state. */
  void add(Attendance attendance) {
    attending++;
    unanswered.add(attendance);
  }

  /** Adds a request that is answered with the next state and attends no longer. */
  void query(Attendance query) {
    unanswered.add(query);
  }

  /** Removes a client, which still receives the answer to its request. */
  void remove(Attendance attendance) {
    attending--;
    if (unanswered.contains(attendance)) {
      removed.add(attendance);
    }
    Object loop = attendance.client.loop();
    Set<Attendance> ofLoop = watching.get(loop);
    if (ofLoop != null && ofLoop.remove(attendance) && ofLoop.isEmpty()) {
      watching.remove(loop);
    }
  }

  boolean isUnused() {
    return attending == 0 && unanswered.isEmpty();
  }

  /** Returns whether a new state would reach a client. */
  boolean isObserved() {
    return !watching.isEmpty() || !unanswered.isEmpty();
  }

  /** Returns the time from which on the next state may be published. */
  long dueMs(long intervalMs) {
    return publishedMs + intervalMs;
  }

  /** Returns the published state, or null. */
  PresenceState state() {
    return state;
  }

  /** Discards a state that no client has received completely. */
  void forgetState() {
    state = null;
  }

  /** Publishes a state: changes to the clients that watch, answers to the others. */
  void publish(PresenceState next, long nowMs) {
    state = next;
    publishedMs = nowMs;
    if (next.isChange()) {
      watching.values().forEach(ofLoop -> sendChange(next, ofLoop.toArray(Attendance[]::new)));
    }
    answer(next);
  }

  private void sendChange(PresenceState next, Attendance[] ofLoop) {
    ofLoop[0].client.execute(() -> deliver(next, ofLoop));
  }

  private void deliver(PresenceState next, Attendance[] ofLoop) {
    deliver(next.change(true), next, ofLoop, true);
    deliver(next.change(false), next, ofLoop, false);
  }

  private void deliver(byte[] change, PresenceState next, Attendance[] ofLoop, boolean listed) {
    ByteBuf frame = null;
    for (Attendance each : ofLoop) {
      if (change != null && each.listed == listed) {
        if (frame == null) {
          frame = next.frames().present(topic, change);
        }
        if (!each.onChange(frame)) {
          laggards.accept(each);
        }
      }
    }
    if (frame != null) {
      ofLoop[0].client.releaseAfterBatch(frame);
    }
  }

  private void answer(PresenceState next) {
    Map<Object, List<Attendance>> byLoop = new HashMap<>();
    for (Attendance each : unanswered) {
      byLoop.computeIfAbsent(each.client.loop(), loop -> new ArrayList<>()).add(each);
      if (each.watches && !removed.contains(each)) {
        watching.computeIfAbsent(each.client.loop(), loop -> new LinkedHashSet<>()).add(each);
      }
    }
    unanswered.clear();
    removed.clear();
    byLoop
        .values()
        .forEach(
            ofLoop ->
                ofLoop.get(0).client.execute(() -> ofLoop.forEach(each -> each.answer(next))));
  }
}
