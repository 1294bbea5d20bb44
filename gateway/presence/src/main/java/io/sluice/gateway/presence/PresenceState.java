package io.sluice.gateway.presence;

import io.sluice.gateway.protocol.presence.PresenceMember;
import io.sluice.gateway.protocol.presence.PresenceView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Published state of a topic, with its change since the previous one. For any thread. Encodings are
 * cached; two threads may encode the same one, with an equal result.
 */
final class PresenceState {
  private final PresenceFrames frames;
  private final PresenceView view;

  /** Change for clients that receive members, and for the others; null if there is none. */
  private final byte[] listedChange;

  private final byte[] countChange;
  private volatile byte[] whole;
  private volatile byte[] count;

  /**
   * @param before the previous state, or null
   */
  PresenceState(PresenceFrames frames, PresenceView view, PresenceState before) {
    this.frames = frames;
    this.view = view;
    boolean samePartial = before != null && before.view.partial() == view.partial();
    boolean sameCount = samePartial && before.view.count() == view.count();
    this.countChange = sameCount ? null : whole(false);
    this.listedChange = before == null ? null : listedChange(before.view, sameCount);
  }

  private byte[] listedChange(PresenceView before, boolean sameCount) {
    if (view.isTruncated() || before.isTruncated()) {
      return sameCount && view.isTruncated() == before.isTruncated() ? null : whole(true);
    }
    Map<String, PresenceMember> former = new HashMap<>();
    before.members().forEach(member -> former.put(member.id(), member));
    List<PresenceMember> joined = new ArrayList<>();
    for (PresenceMember member : view.members()) {
      if (!member.equals(former.remove(member.id()))) {
        joined.add(member);
      }
    }
    if (sameCount && joined.isEmpty() && former.isEmpty()) {
      return null;
    }
    return joined.size() + former.size() > view.count()
        ? whole(true)
        : frames.change(view, joined, former.keySet());
  }

  PresenceFrames frames() {
    return frames;
  }

  /** Returns whether clients receive a change. */
  boolean isChange() {
    return listedChange != null || countChange != null;
  }

  /** Returns the encoded change, or null if there is none. */
  byte[] change(boolean listed) {
    return listed ? listedChange : countChange;
  }

  /** Returns the encoded state. */
  byte[] whole(boolean listed) {
    byte[] known = listed ? whole : count;
    if (known == null) {
      known = frames.state(view, listed);
      if (listed) {
        whole = known;
      } else {
        count = known;
      }
    }
    return known;
  }
}
