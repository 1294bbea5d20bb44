package io.sluice.gateway.presence;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.presence.PresenceMember;

/**
 * Presence of one client in one topic: its member, and the frames that it receives. Its state is
 * bound to the client's event loop; the presence thread reads only final fields.
 */
final class Attendance {
  final PresenceClient client;
  final long ref;
  final String topic;

  /** Null if the client only watches or queries. */
  final PresenceMember member;

  final boolean watches;

  /** True if the client receives members, not only their number. */
  final boolean listed;

  private boolean stopped;
  private boolean ended;

  /** True from a change that the client did not accept until it has received the whole state. */
  private boolean behind;

  Attendance(
      PresenceClient client,
      long ref,
      String topic,
      PresenceMember member,
      boolean watches,
      boolean listed) {
    this.client = client;
    this.ref = ref;
    this.topic = topic;
    this.member = member;
    this.watches = watches;
    this.listed = listed;
  }

  /** Returns whether the client only queries the state. */
  boolean isQuery() {
    return member == null && !watches;
  }

  /** Sends no changes, only the answer if it is missing. */
  void stop() {
    stopped = true;
  }

  /** Sends nothing more to the client. */
  void end() {
    stopped = true;
    ended = true;
  }

  /** Sends the answer to the client's request. */
  void answer(PresenceState state) {
    if (!ended) {
      String self = member == null ? null : member.id();
      client.answer(this, state.frames().present(ref, topic, self, state.whole(listed)));
    }
  }

  /** Sends a change. Returns false if the client has just fallen behind. */
  boolean onChange(ByteBuf frame) {
    if (stopped || behind || client.offerFrames(frame)) {
      return true;
    }
    behind = true;
    return false;
  }

  /** Sends the whole state to a client that is behind. Returns false if it still lags. */
  boolean catchUp(ByteBuf frame) {
    behind = !stopped && !client.offerFrames(frame);
    return !behind;
  }
}
