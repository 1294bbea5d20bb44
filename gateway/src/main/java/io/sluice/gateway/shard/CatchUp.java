package io.sluice.gateway.shard;

import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.protocol.GapReason;

/**
 * State of a subscription that is behind the live stream, or tagged. It is sent the snapshot that
 * its answer promised, if any, and then the log, as fast as its client takes it. When it has caught
 * up it joins the others. A tagged one stays: it is handed live messages as they come, and those
 * for which its client has no room are read from the log later.
 */
final class CatchUp extends Paced {
  private final SubscriptionState subscription;
  private final SubscribedTopic topic;

  /** Snapshot that is sent ahead of the log; null if there is none, or once it was sent. */
  private Replay replay;

  private int replayed;

  /** Everything up to here has been handed over once the replay has. */
  private long offset;

  /** Everything up to here has been handed to the others. */
  private long reached;

  /** Reason of a gap that has yet to be sent, or null. */
  private GapReason pendingGap;

  private long pendingGapOffset;

  /**
   * @param replay what precedes the log, or null
   * @param offset behind which the log follows
   */
  CatchUp(SubscriptionState subscription, Replay replay, long offset) {
    this.subscription = subscription;
    this.topic = subscription.topic;
    this.replay = replay;
    this.offset = offset;
    this.reached = topic.offset();
  }

  // It is in the log, too, but perhaps not for long.
  @Override
  boolean onRun(MessageBatch run, Pacer pacer) {
    if (pendingGap != null && pacer.makesRoomFor(subscription)) {
      tellPendingGap();
    }
    if (subscription.tagged && isLive() && run.first().offset == offset + 1) {
      while (offset < run.last().offset && pacer.makesRoomFor(subscription)) {
        offset = pacer.sendLive(subscription, run, offset);
      }
    }
    reached = run.last().offset;
    return offset < reached || !subscription.tagged;
  }

  /** Sends a gap before anything else. */
  void owe(GapReason reason, long at) {
    pendingGap = reason;
    pendingGapOffset = at;
  }

  /** Whether its client has been sent all that the others have. */
  private boolean isLive() {
    return replay == null
        && pendingGap == null
        && offset == reached
        && announced == topic.channelsFor(subscription).size();
  }

  // A loss is marked in the log, too; what only this event loop has dropped the log still has. A
  // log that keeps nothing has neither.
  @Override
  void onGap(GapReason reason, long gap) {
    if (subscription.tagged && isLive()) {
      owe(reason, gap);
    }
    reached = gap;
  }

  @Override
  boolean isBehind() {
    return replay != null || pendingGap != null || offset < topic.offset();
  }

  @Override
  long oldestHeld() {
    return oldest(replay, replayed);
  }

  // The log has everything behind the snapshot.
  @Override
  void discardHeld(long upTo) {
    if (replay != null) {
      close();
      owe(GapReason.OVERLOAD, offset);
    }
  }

  @Override
  boolean step(Pacer pacer) {
    while (pacer.hasRoomFor(subscription)) {
      if (pendingGap != null) {
        tellPendingGap();
      } else if (replay != null) {
        goOn(pacer, replay);
      } else if (offset >= topic.offset()) {
        if (!subscription.tagged) {
          topic.join(subscription);
        }
        return false;
      } else {
        goOn(pacer);
      }
    }
    return true;
  }

  private void goOn(Pacer pacer, Replay promised) {
    if (promised.isCut()) {
      close();
      tellGap(GapReason.OVERLOAD, topic.offset());
      return;
    }
    replayed = pacer.send(subscription, promised.messages(), replayed);
    if (replayed == promised.size()) {
      close();
    }
  }

  private void goOn(Pacer pacer) {
    LogEntry next = topic.log().at(offset + 1);
    // Continuing at the oldest entry would keep a slow client at the edge of the log for good.
    if (next == null) { // evicted before this client was ready for it
      tellGap(GapReason.OVERLOAD, topic.offset());
    } else if (next.isGap()) {
      tellGap(next.gapReason(), next.offset());
    } else {
      offset = pacer.sendFrom(subscription, topic.log(), offset, topic.offset());
    }
  }

  // They are in the log.
  @Override
  void onFault(long upTo) {
    reached = upTo;
  }

  private void tellPendingGap() {
    tellGap(pendingGap, pendingGapOffset);
    pendingGap = null;
  }

  // The offset last: a gap that could not be sent is sent at the next attempt.
  private void tellGap(GapReason reason, long upTo) {
    topic.tellGap(subscription, reason, upTo);
    offset = upTo;
  }

  @Override
  void close() {
    if (replay != null) {
      topic.endReplay(replay);
      replay = null;
    }
  }
}
