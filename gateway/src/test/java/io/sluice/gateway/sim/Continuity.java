package io.sluice.gateway.sim;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What a client keeps of one subscription across connections, as docs/PROTOCOL.md, section 8, says.
 */
final class Continuity {
  /** The answer to a subscribe. */
  record Answer(long epoch, long offset, int replay, Boolean recovered, long timeMs) {}

  /** Who hears of what a subscription brings. */
  interface Listener {
    /**
     * It begins, perhaps anew: what came before may come once more, nothing is missing from here.
     */
    void onBegin();

    /** A message that is new to the client. */
    void onMessage(long id);

    /** A message that the client has already. */
    void onKnown(long id, boolean replayed);

    /** Messages may be missing here. */
    void onGap(String reason);
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
  private Answer answer;
  private int replayLeft;
  private boolean inSnapshot;
  private boolean told;

  /** Messages since the latest caught-up, and between it and the one before. */
  private int sinceProof;

  private int beforeProof;
  private boolean wantsSnapshot;
  private long offset;

  /** Where it stood when nothing was being replayed; what a client that breaks a rule forgets. */
  private Position reached;

  /**
   * @param start the value of {@code from} when the application begins, as JSON
   * @param broken rules that this client does not follow
   */
  Continuity(String start, Set<Rule> broken, Listener listener) {
    this.start = start;
    this.broken = broken;
    this.listener = listener;
  }

  private boolean follows(Rule rule) {
    return !broken.contains(rule);
  }

  /** Goes on at a position that the application has kept. */
  void resumeAt(Position kept) {
    position = kept;
    ids.addAll(kept.ids());
    known.addAll(kept.ids());
  }

  /** How many identities the node wants remembered. */
  void overlap(int messages) {
    overlap = follows(Rule.REMEMBERS_IDENTITIES) ? messages : 1;
  }

  Position position() {
    boolean forgotten = sinceProof + beforeProof > overlap / 2 && follows(Rule.TIME_IS_REMEMBERED);
    return position == null || !forgotten ? position : position.caughtUp(0);
  }

  /** Its position with the offset that it really has reached, or null if a replay was cut off. */
  Position reached() {
    return reached == null || position == null || reached.epoch() != position.epoch()
        ? null
        : position.at(reached.epoch(), Math.max(reached.offset(), position.offset()), ids);
  }

  /** The value of {@code from} on the next connection, as JSON. */
  String from() {
    if (position != null) {
      return position().json();
    }
    return wantsSnapshot ? SNAPSHOT : start;
  }

  boolean asksForSnapshot() {
    return from().equals(SNAPSHOT);
  }

  /** The connection is gone. */
  void onConnectionLost() {
    wantsSnapshot |= position == null && inSnapshot && told;
    boolean atRest = answer != null && replayLeft == 0;
    reached = atRest ? position.at(answer.epoch(), offset, ids) : null;
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
    inSnapshot = replayLeft > 0 && (refused || asksForSnapshot());
    if (refused) {
      onUnrecovered();
    } else if (position == null) {
      onStart();
    }
    if (replayLeft == 0 || !follows(Rule.REPLAY_MOVES_OFFSET)) {
      endReplay();
    }
  }

  private void onUnrecovered() {
    known.clear();
    if (follows(Rule.TELLS_UNRECOVERED)) {
      told = true;
      listener.onGap("not recovered");
      listener.onBegin();
    }
    if (replayLeft == 0) {
      startAgain();
    }
  }

  private void onStart() {
    if (wantsSnapshot) {
      known.clear();
      ids.clear();
      countAnew();
      listener.onGap("the snapshot was cut");
    }
    listener.onBegin();
  }

  /** What the position was counts no more. */
  private void startAgain() {
    position = null;
    ids.clear();
    countAnew();
  }

  private void countAnew() {
    sinceProof = 0;
    beforeProof = 0;
  }

  private void endReplay() {
    inSnapshot = false;
    wantsSnapshot = false;
    replayLeft = follows(Rule.REPLAY_MOVES_OFFSET) ? 0 : replayLeft;
    long kept =
        position == null || follows(Rule.OFFSET_OF_THE_EPOCH) ? answer.offset() : position.offset();
    position = base().at(answer.epoch(), kept, ids);
  }

  // The times of a position, which an answer without a time leaves as they are.
  private Position base() {
    return position == null
        ? new Position(answer.epoch(), 0, List.of(), answer.timeMs(), 0)
        : position;
  }

  /** Whether what comes next is replayed. */
  boolean isReplaying() {
    return replayLeft > 0;
  }

  /** The offset of the latest message or gap, or that of the answer. */
  long offset() {
    return offset;
  }

  Answer answer() {
    return answer;
  }

  void onMessage(long id, long at) {
    boolean replayed = replayLeft > 0;
    if (replayed && inSnapshot && position != null) {
      startAgain();
    }
    remember(id);
    sinceProof++;
    if (!replayed) {
      offset = at;
      position = position.at(answer.epoch(), at, ids);
    } else {
      moveInReplay(at);
    }
    if (known.contains(id)) {
      listener.onKnown(id, replayed);
      return;
    }
    known.add(id);
    if (known.size() > overlap) {
      Iterator<Long> oldest = known.iterator();
      oldest.next();
      oldest.remove();
    }
    told = true;
    listener.onMessage(id);
  }

  private void moveInReplay(long at) {
    replayLeft--;
    if (!follows(Rule.REPLAY_MOVES_OFFSET)) {
      position = position.at(answer.epoch(), answer.offset(), ids);
    } else if (replayLeft == 0) {
      endReplay();
    } else if (!inSnapshot) {
      position = base().at(answer.epoch(), at, ids);
    }
  }

  private void remember(long id) {
    ids.remove(id);
    ids.add(id);
    if (ids.size() > Position.MOST_IDS) {
      ids.remove(0);
    }
  }

  void onGap(String reason, long at, long timeMs) {
    replayLeft = 0;
    inSnapshot = false;
    offset = at;
    told = true;
    countAnew();
    Position before = base();
    if (follows(Rule.GAP_MOVES_OFFSET)) {
      before = before.at(answer.epoch(), at, ids);
    }
    position = follows(Rule.GAP_MOVES_SINCE) ? before.since(timeMs) : before;
    listener.onGap(reason);
  }

  void onCaughtUp(long timeMs) {
    if (answer != null && replayLeft == 0) {
      beforeProof = sinceProof;
      sinceProof = 0;
      position = position.caughtUp(timeMs);
    }
  }
}
