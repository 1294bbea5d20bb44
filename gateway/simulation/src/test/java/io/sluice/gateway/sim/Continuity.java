package io.sluice.gateway.sim;

import io.sluice.gateway.broker.StreamPlace;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * State that a client keeps of one subscription across connections (docs/PROTOCOL.md, section 8).
 */
final class Continuity {
  /**
   * The answer to a subscribe.
   *
   * @param ids latest id of each partition, of a source with offsets; otherwise null
   */
  record Answer(
      long epoch, long offset, List<Long> ids, int replay, Boolean recovered, long timeMs) {}

  /**
   * Another stream that begins at a gap.
   *
   * @param ids latest id of each partition before the next message
   */
  record Begun(long epoch, List<Long> ids) {}

  /** Receiver of the events of one subscription. */
  interface Listener {
    /**
     * The subscription begins, possibly again. Earlier messages may be repeated; no later one is
     * missing.
     */
    void onBegin();

    /** A message that the client has not received yet. */
    void onMessage(long id);

    /** A message that the client has received already. */
    void onKnown(long id, boolean replayed);

    /** Messages may be missing here. */
    void onGap(String reason);

    /** Another stream begins at the gap. Earlier messages may be repeated. */
    default void onStream() {}
  }

  private static final String SNAPSHOT = "\"snapshot\"";

  private final String start;
  private final Set<Rule> broken;
  private final Listener listener;
  private final Set<Long> known = new LinkedHashSet<>();
  private int overlap;

  /** Null before the first answer and within a snapshot. */
  private Position position;

  private List<Long> ids = new ArrayList<>();

  /** True if the source has offsets. */
  private boolean ordered;

  private Answer answer;

  /** Epoch of the answer, or of the stream that began later. */
  private long epoch;

  private int replayLeft;
  private boolean inSnapshot;
  private boolean reported;

  /** Messages since the latest caught-up, and between it and the one before. */
  private int sinceProof;

  private int beforeProof;
  private boolean snapshotPending;
  private long offset;

  /** Position when no replay was in progress. A client that breaks a rule loses it. */
  private Position reached;

  /**
   * @param start initial value of {@code from}, as JSON
   * @param broken rules that this client violates
   */
  Continuity(String start, Set<Rule> broken, Listener listener) {
    this.start = start;
    this.broken = broken;
    this.listener = listener;
  }

  private boolean follows(Rule rule) {
    return !broken.contains(rule);
  }

  /** Resumes at a position that the application has stored. */
  void resumeAt(Position kept) {
    position = kept;
    ids.addAll(kept.ids());
    known.addAll(kept.ids());
  }

  /** Sets the number of identities to remember. */
  void overlap(int messages) {
    overlap = follows(Rule.REMEMBERS_IDENTITIES) ? messages : 1;
  }

  Position position() {
    boolean forgotten = sinceProof + beforeProof > overlap / 2 && follows(Rule.TIME_IS_REMEMBERED);
    return position == null || !forgotten ? position : position.caughtUp(0);
  }

  /**
   * Returns the position with the offset that was really reached, or null if a replay was
   * interrupted.
   */
  Position reached() {
    return reached == null || position == null || reached.epoch() != position.epoch()
        ? null
        : position.at(reached.epoch(), Math.max(reached.offset(), position.offset()), ids);
  }

  /** Returns the value of {@code from} for the next connection, as JSON. */
  String from() {
    if (position != null) {
      return position().json();
    }
    return snapshotPending ? SNAPSHOT : start;
  }

  boolean requestsSnapshot() {
    return from().equals(SNAPSHOT);
  }

  /** Handles the loss of the connection. */
  void onConnectionLost() {
    snapshotPending |= position == null && inSnapshot && reported;
    boolean atRest = answer != null && replayLeft == 0;
    reached = atRest ? position.at(epoch, offset, ids) : null;
    answer = null;
    replayLeft = 0;
    inSnapshot = false;
  }

  boolean isAnswered() {
    return answer != null;
  }

  void onSubscribed(Answer given) {
    boolean refused = Boolean.FALSE.equals(given.recovered());
    answer = given;
    replayLeft = given.replay();
    offset = given.offset();
    inSnapshot = replayLeft > 0 && (refused || requestsSnapshot());
    epoch = given.epoch();
    ordered = given.ids() != null;
    trimIds();
    if (refused) {
      onUnrecovered();
    } else if (position == null) {
      onStart();
    } else if (ordered && !follows(Rule.RECOVERED_KEEPS_POSITION)) {
      beginIds(given.ids());
    }
    if (replayLeft == 0 || !follows(Rule.REPLAY_MOVES_OFFSET)) {
      endReplay();
    }
  }

  private void onUnrecovered() {
    known.clear();
    if (follows(Rule.REPORTS_UNRECOVERED)) {
      reported = true;
      listener.onGap("not recovered");
      listener.onBegin();
    }
    if (replayLeft == 0 || follows(Rule.UNRECOVERED_ENDS_POSITION)) {
      resetPosition();
    }
  }

  private void onStart() {
    if (snapshotPending) {
      known.clear();
      resetCounts();
      listener.onGap("the snapshot was cut");
    }
    if (snapshotPending || ordered) {
      beginIds(answer.ids());
    }
    listener.onBegin();
  }

  /** Discards the position. */
  private void resetPosition() {
    position = null;
    beginIds(answer.ids());
    resetCounts();
  }

  private void beginIds(List<Long> given) {
    ids.clear();
    if (ordered && follows(Rule.ANSWER_BEGINS_POSITION)) {
      ids.addAll(given);
    }
  }

  private void resetCounts() {
    sinceProof = 0;
    beforeProof = 0;
  }

  private void endReplay() {
    inSnapshot = false;
    snapshotPending = false;
    replayLeft = follows(Rule.REPLAY_MOVES_OFFSET) ? 0 : replayLeft;
    long kept =
        position == null || follows(Rule.OFFSET_OF_THE_EPOCH) ? answer.offset() : position.offset();
    position = base().at(epoch, kept, ids);
  }

  // An answer without a time leaves the times of the position unchanged.
  private Position base() {
    return position == null ? new Position(epoch, 0, List.of(), answer.timeMs(), 0) : position;
  }

  /** Returns whether the next message is replayed. */
  boolean isReplaying() {
    return replayLeft > 0;
  }

  /** Returns the number of messages that the replay still lacks. */
  int replayLeft() {
    return replayLeft;
  }

  /** Returns the offset of the latest message or gap, or of the answer. */
  long offset() {
    return offset;
  }

  Answer answer() {
    return answer;
  }

  void onMessage(long id, long at) {
    boolean replayed = replayLeft > 0;
    if (replayed && inSnapshot && position != null) {
      resetPosition();
    }
    boolean isKnown = isKnown(id);
    remember(id);
    sinceProof++;
    if (!replayed) {
      offset = at;
      position = position.at(epoch, at, ids);
    } else {
      moveInReplay(at);
    }
    if (isKnown) {
      listener.onKnown(id, replayed);
      return;
    }
    known.add(id);
    if (known.size() > overlap) {
      Iterator<Long> oldest = known.iterator();
      oldest.next();
      oldest.remove();
    }
    reported = true;
    listener.onMessage(id);
  }

  private void moveInReplay(long at) {
    replayLeft--;
    if (!follows(Rule.REPLAY_MOVES_OFFSET)) {
      position = position.at(epoch, answer.offset(), ids);
    } else if (replayLeft == 0) {
      endReplay();
    } else if (!inSnapshot) {
      position = base().at(epoch, at, ids);
    }
  }

  // A source with offsets: a node that is behind sends what the client has, or what precedes its
  // subscription. A replay without a position precedes the ids of its answer.
  private boolean isKnown(long id) {
    if (!ordered) {
      return known.contains(id);
    }
    boolean isStart = replayLeft > 0 && (inSnapshot || answer.recovered() == null);
    return !isStart
        && follows(Rule.EARLIER_IS_DROPPED)
        && id <= Places.highest(ids).getOrDefault(StreamPlace.partition(id), -1L);
  }

  private void remember(long id) {
    long highest = id;
    for (long known : List.copyOf(ids)) {
      if (replaces(id, known)) {
        highest = Math.max(highest, known);
        ids.remove(known);
      }
    }
    ids.add(highest);
    trimIds();
  }

  private boolean isByPartition() {
    return ordered && follows(Rule.POSITION_IS_OF_EACH_PARTITION);
  }

  /** Returns whether a position has only one of these identities. */
  private boolean replaces(long id, long known) {
    return isByPartition()
        ? StreamPlace.partition(id) == StreamPlace.partition(known)
        : id == known;
  }

  private void trimIds() {
    int limit = isByPartition() ? Position.MAX_PARTITIONS : Position.MAX_IDS;
    while (ids.size() > limit) {
      ids.remove(0);
    }
  }

  /**
   * Receives a gap.
   *
   * @param begun the stream that begins here, or null
   */
  void onGap(String reason, long at, long timeMs, Begun begun) {
    if (inSnapshot && !follows(Rule.REPORTS_OUTDATED_SNAPSHOT)) {
      endReplay();
      return;
    }
    replayLeft = 0;
    inSnapshot = false;
    offset = at;
    reported = true;
    if (begun != null && follows(Rule.GAP_BEGINS_STREAM)) {
      ordered = true;
      epoch = begun.epoch();
      beginIds(begun.ids());
    } else if (ordered && !follows(Rule.GAP_KEEPS_IDS)) {
      ids.clear();
    }
    resetCounts();
    Position before = base();
    if (follows(Rule.GAP_MOVES_OFFSET)) {
      before = before.at(epoch, at, ids);
    }
    position = follows(Rule.GAP_MOVES_SINCE) ? before.since(timeMs) : before;
    listener.onGap(reason);
    if (begun != null) {
      listener.onStream();
    }
  }

  void onCaughtUp(long timeMs) {
    if (answer != null && replayLeft == 0) {
      beforeProof = sinceProof;
      sinceProof = 0;
      position = position.caughtUp(timeMs);
    }
  }
}
