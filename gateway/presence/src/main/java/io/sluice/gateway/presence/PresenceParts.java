package io.sluice.gateway.presence;

import io.sluice.gateway.protocol.presence.PresenceMember;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/** Changes of topics, split into parts that fit into one message each. Used by one thread. */
final class PresenceParts {
  private final List<byte[]> parts = new ArrayList<>();
  private final ByteArrayOutputStream part = new ByteArrayOutputStream();

  /** Adds a change, which is split into several if it is too large. */
  void add(PresenceChange change) {
    boolean reset = change.reset();
    List<PresenceMember> members = change.joined();
    List<String> left = change.left();
    do {
      int end = endOfMembers(members);
      int endOfIds = Math.min(left.size(), PresenceCodec.MAX_BYTES / 64);
      append(
          new PresenceChange(
              change.topic(),
              change.count(),
              change.listed(),
              reset,
              members.subList(0, end),
              left.subList(0, endOfIds)));
      members = members.subList(end, members.size());
      left = left.subList(endOfIds, left.size());
      reset = false;
    } while (!members.isEmpty() || !left.isEmpty());
  }

  /** Returns the number of members that fit into half of a message; at least one. */
  private static int endOfMembers(List<PresenceMember> members) {
    int bytes = 0;
    for (int i = 0; i < members.size(); i++) {
      bytes += PresenceCodec.size(members.get(i));
      if (bytes > PresenceCodec.MAX_BYTES / 2 && i > 0) {
        return i;
      }
    }
    return members.size();
  }

  private void append(PresenceChange change) {
    byte[] bytes = PresenceCodec.topic(change);
    if (part.size() > 0 && part.size() + bytes.length > PresenceCodec.MAX_BYTES) {
      end();
    }
    part.writeBytes(bytes);
  }

  private void end() {
    parts.add(part.toByteArray());
    part.reset();
  }

  /** Returns the number of complete parts. */
  int size() {
    return parts.size();
  }

  /** Returns all parts. */
  List<byte[]> end(boolean atLeastOne) {
    if (part.size() > 0 || parts.isEmpty() && atLeastOne) {
      end();
    }
    return parts;
  }
}
