package io.sluice.client.internal;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * State of one subscription across connections, which prevents unreported losses and duplicates:
 * PROTOCOL.md, section 8. It does no I/O: the caller reports events. Any thread may call it.
 */
public final class Continuity {
  /** Start of a subscription with the newest message of each topic. */
  public static final String SNAPSHOT = "snapshot";

  private static final int KEPT_IDS = 8;
  private static final int MAX_IDS = 1_024;
  private static final int PARTITION_DIGITS = 4;
  private static final int MIN_OVERLAP = 16;

  /** Start of the next subscription, unless messages of this connection replace it. */
  private Object resumeFrom;

  /** Epoch of the node's answer; null until it has arrived on this connection. */
  private String epoch;

  private long offset;
  private long answerOffset;

  /** Identities of the position, newest last: the highest by partition if it is ordered. */
  private final Map<String, String> ids = new LinkedHashMap<>();

  /** Set if the source has offsets. */
  private boolean isOrdered;

  /** Set if a position was recovered, so that no replayed message precedes it. */
  private boolean isRecovered;

  private Long since;
  private Long time;

  /**
   * Identities of the latest messages, by which duplicates are detected unless the source has
   * offsets; the oldest first.
   */
  private final Set<String> recent = new LinkedHashSet<>();

  private int overlap = MIN_OVERLAP;

  /** Number of messages between the latest two caught-up frames. */
  private long countBefore;

  /** Number of messages since the latest caught-up. */
  private long countSince;

  /** Number of replayed messages that are still expected. */
  private long replayLeft;

  /** Set when a part of this connection's replay was received, or there is none. */
  private boolean hasReplayStarted;

  private boolean inSnapshot;

  /** Number of messages received, dropped ones included. */
  private long count;

  /** Set when the application has received a message or a gap. */
  private boolean hasNotified;

  /**
   * Creates the state of a subscription.
   *
   * @param from {@code "snapshot"}, {@code {"last":20}} or a position; null is now
   */
  public Continuity(Object from) {
    resumeFrom = from;
    // The ids of a stored position are not among the recent ones yet.
    if (isPosition(from)) {
      recent.addAll(ids((Map<?, ?>) from));
    }
  }

  /** Returns whether the node has answered on this connection. */
  public synchronized boolean isAnswered() {
    return epoch != null;
  }

  /** Returns the epoch of the answer on this connection; null before it. */
  public synchronized String epoch() {
    return epoch;
  }

  /** Returns whether replayed messages of this connection are still to come. */
  public synchronized boolean isReplaying() {
    return epoch != null && replayLeft > 0;
  }

  /** Returns the number of received messages. */
  public synchronized long count() {
    return count;
  }

  /** Returns the position to be stored; null while there is nothing to resume. */
  public synchronized Map<?, ?> position() {
    Object next = next();
    return isPosition(next) ? (Map<?, ?>) next : null;
  }

  /** Records a request. Returns the value of {@code from}, or null to omit it. */
  public synchronized Object onSubscribe() {
    resumeFrom = next();
    epoch = null;
    return resumeFrom;
  }

  /**
   * Records the answer {@code subscribed}.
   *
   * @param requiredOverlap number of ids to be remembered, as required by the node's hello
   * @return the reason if messages may be missing before the next message, otherwise null
   */
  public synchronized String onSubscribed(Frame answer, int requiredOverlap) {
    List<String> latest = answer.ids();
    boolean hadPosition = isPosition(resumeFrom);
    boolean recovered = hadPosition && answer.flag("recovered");
    boolean lost = hadPosition && !recovered;
    isRecovered = recovered;
    boolean cut = !hadPosition && hasNotified;
    overlap = Math.max(overlap, requiredOverlap);
    if (lost || cut) {
      recent.clear();
    }
    inSnapshot = lost || SNAPSHOT.equals(resumeFrom);
    isOrdered = answer.has("ids");
    if (recovered) {
      resume((Map<?, ?>) resumeFrom);
    } else {
      startStream(answer.optionalNumber("time"));
      setIds(latest);
    }
    epoch = answer.text("epoch");
    answerOffset = answer.number("offset");
    offset = answerOffset;
    replayLeft = answer.has("replay") ? answer.number("replay") : 0;
    hasReplayStarted = replayLeft == 0;
    return lost ? "not-recovered" : cut ? "snapshot-cut" : null;
  }

  private void resume(Map<?, ?> position) {
    since = (Long) position.get("since");
    time = (Long) position.get("time");
    setIds(ids(position));
  }

  @SuppressWarnings("unchecked")
  private static List<String> ids(Map<?, ?> position) {
    return position.containsKey("ids") ? (List<String>) position.get("ids") : List.of();
  }

  private void setIds(List<String> given) {
    ids.clear();
    given.forEach(this::raise);
  }

  private void startStream(Long from) {
    since = from;
    time = null;
    countBefore = 0;
    countSince = 0;
  }

  /** Records a message. Returns whether it is new to the application. */
  public synchronized boolean onMessage(Frame message) {
    String id = message.id();
    offset = message.number("offset");
    boolean isNew = remember(id);
    if (replayLeft > 0) {
      hasReplayStarted = true;
      replayLeft--;
      if (replayLeft == 0) {
        offset = answerOffset;
      }
    }
    countSince++;
    count++;
    hasNotified |= isNew;
    return isNew;
  }

  /** Records an unreadable message: the position passes it. */
  public synchronized void onUnreadable(Frame frame) {
    Object given = frame.get("offset");
    if (Frame.isId(frame.get("id"))) {
      remember((String) frame.get("id"));
    }
    boolean isKnown = given instanceof Long && (Long) given >= 0 && (Long) given < 1L << 53;
    boolean isLast = replayLeft == 1;
    replayLeft = Math.max(0, replayLeft - 1);
    if (isLast) {
      offset = answerOffset;
      hasReplayStarted = true;
    } else if (isKnown) {
      offset = (Long) given;
      hasReplayStarted = true;
    } else if (hasReplayStarted) {
      offset++;
    }
    countSince++;
    count++;
    hasNotified = true;
  }

  /**
   * Records a gap, which also ends a pending replay. With an epoch, another stream begins. Returns
   * its reason.
   */
  public synchronized String onGap(Frame gap) {
    String reason = gap.text("reason");
    long reached = gap.number("offset");
    long from = gap.number("time");
    if (gap.has("epoch")) {
      String begun = gap.text("epoch");
      List<String> latest = gap.ids();
      epoch = begun;
      isOrdered = true;
      setIds(latest);
    }
    offset = reached;
    startStream(from);
    replayLeft = 0;
    hasReplayStarted = true;
    hasNotified = true;
    return reason;
  }

  /** Records a caught-up, which does not apply before the answer or during a replay. */
  public synchronized void onCaughtUp(long caughtUp) {
    if (epoch == null || replayLeft > 0) {
      return;
    }
    time = caughtUp;
    countBefore = countSince;
    countSince = 0;
  }

  /** Returns the value of {@code from} of the next request; null to omit it. */
  public synchronized Object next() {
    if (epoch != null && replayLeft > 0 && inSnapshot) {
      return SNAPSHOT;
    }
    if (epoch == null || !hasReplayStarted) {
      return resumeFrom;
    }
    Map<String, Object> position = new LinkedHashMap<>();
    position.put("epoch", epoch);
    position.put("offset", offset);
    if (!ids.isEmpty()) {
      position.put("ids", new ArrayList<>(ids.values()));
    }
    if (since != null) {
      position.put("since", since);
    }
    // Otherwise more messages than are remembered could be repeated.
    if (time != null && countBefore + countSince <= overlap / 2) {
      position.put("time", time);
    }
    return position;
  }

  private static boolean isPosition(Object from) {
    return from instanceof Map && ((Map<?, ?>) from).containsKey("epoch");
  }

  /** Remembers an identity. Returns whether it was unknown. */
  private boolean remember(String id) {
    boolean isLater = raise(id);
    if (isOrdered) { // a replay without a recovered position precedes the ids of its answer
      return isLater || replayLeft > 0 && !isRecovered;
    }
    boolean unknown = !recent.remove(id);
    recent.add(id);
    removeOldest(recent, overlap);
    return unknown;
  }

  /** Adds an identity to the position. Returns whether it is the highest one of its key. */
  private boolean raise(String id) {
    String key = isOrdered ? id.substring(0, PARTITION_DIGITS) : id;
    String known = ids.remove(key);
    boolean isLater = known == null || known.compareTo(id) < 0;
    ids.put(key, isLater ? id : known);
    removeOldest(ids.keySet(), isOrdered ? MAX_IDS : KEPT_IDS);
    return isLater;
  }

  private static void removeOldest(Set<String> all, int limit) {
    Iterator<String> oldest = all.iterator();
    while (all.size() > limit) {
      oldest.next();
      oldest.remove();
    }
  }
}
