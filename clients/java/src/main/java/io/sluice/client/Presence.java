package io.sluice.client;

import io.sluice.client.internal.Frame;
import io.sluice.client.internal.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Presence of one topic at all nodes. It survives reconnects until the client leaves. */
public final class Presence implements AutoCloseable {
  /** Values of one moment. */
  private record State(
      int count, List<PresenceMember> members, String self, boolean isPartial, boolean isLive) {
    State lost() {
      return new State(count, members, self, isPartial, false);
    }
  }

  /** Completes with the first answer; tasks of the dispatcher use the fields below. */
  final CompletableFuture<Presence> opened = new CompletableFuture<>();

  int failures;

  /** Number of the latest request; 0 without one on this connection. */
  long ref;

  private final Presences owner;
  private final String topic;
  private final PresenceOptions options;
  private final String key;
  private Map<String, PresenceMember> members;
  private boolean isAnswered;
  private volatile Object info;
  private volatile State state = new State(0, null, null, false, false);

  Presence(Presences owner, String topic, PresenceOptions options, String key) {
    this.owner = owner;
    this.topic = topic;
    this.options = options;
    this.key = key;
    info = checked(options.info());
  }

  private static Object checked(Object info) {
    // Throws if the value cannot be sent.
    Json.write(info);
    return info;
  }

  /** Returns the topic. */
  public String topic() {
    return topic;
  }

  /** Returns the number of members. */
  public int count() {
    return state.count;
  }

  /**
   * Returns the members, without order; null if only their number was requested, or if there are
   * more than the node sends.
   */
  public List<PresenceMember> members() {
    return state.members;
  }

  /** Returns the id of the client's member; null if it has not entered. */
  public String self() {
    return state.self;
  }

  /** Returns whether members at other nodes may be missing. */
  public boolean isPartial() {
    return state.isPartial;
  }

  /** Returns false while there is no connection: the other values may be outdated. */
  public boolean isLive() {
    return state.isLive;
  }

  /** Replaces the value that others receive with the member. */
  public void update(Object value) {
    info = checked(value);
    owner.update(this);
  }

  /** Leaves the topic, and watches it no longer. */
  public void leave() {
    owner.leave(this);
  }

  /** Leaves the topic. */
  @Override
  public void close() {
    leave();
  }

  /** Returns the request. */
  Map<String, Object> frame(long request) {
    ref = request;
    isAnswered = false;
    Map<String, Object> frame = SluiceClient.frame("presence");
    frame.put("ref", request);
    frame.put("topic", topic);
    if (options.isEntered()) {
      frame.put("enter", true);
    }
    frame.put("watch", true);
    if (options.hasMembers()) {
      frame.put("members", true);
    }
    if (options.isEntered()) {
      frame.put("key", key);
      if (info != null) {
        frame.put("info", info);
      }
    }
    return frame;
  }

  void onAnswer(Frame frame) {
    isAnswered = true;
    failures = 0;
    apply(frame, frame.optionalText("self"));
  }

  /** Applies a change; before the answer it belongs to an earlier request. */
  void onChange(Frame frame) {
    if (isAnswered) {
      apply(frame, state.self);
    }
  }

  private void apply(Frame frame, String self) {
    if (frame.has("members")) {
      members = new LinkedHashMap<>();
      putAll(frame.list("members"));
    } else if (frame.flag("truncated")) {
      members = null;
    }
    if (members != null) {
      frame.list("left").forEach(members::remove);
      putAll(frame.list("joined"));
    }
    List<PresenceMember> list =
        members == null ? null : Collections.unmodifiableList(new ArrayList<>(members.values()));
    state = new State((int) frame.number("count"), list, self, frame.flag("partial"), true);
    owner.guard(() -> options.onChange().accept(this));
  }

  private void putAll(List<?> list) {
    for (Object each : list) {
      PresenceMember member = PresenceMember.of(each);
      members.put(member.id(), member);
    }
  }

  void onLost() {
    ref = 0;
    isAnswered = false;
    if (state.isLive) {
      state = state.lost();
      owner.guard(() -> options.onChange().accept(this));
    }
  }
}
