package io.sluice.gateway.hub;

import io.sluice.gateway.protocol.GapReason;

/**
 * State of a subscription that is behind the live stream. It is sent the snapshot that its answer
 * promised, if any, and then the log, as fast as its client takes it. When it has caught up it
 * joins the others.
 */
final class CatchUp extends Paced {
  private final Subscription subscription;
  private final ShardTopic topic;

  /** Snapshot that is sent ahead of the log; null if there is none, or once it was sent. */
  private Replay replay;

  private int replayed;

  /** Everything up to here has been handed over once the replay has. */
  private long offset;

  /**
   * @param replay what precedes the log, or null
   * @param offset behind which the log follows
   */
  CatchUp(Subscription subscription, Replay replay, long offset) {
    this.subscription = subscription;
    this.topic = subscription.topic;
    this.replay = replay;
    this.offset = offset;
  }

  @Override
  void onRun(Run run) {
    // It is in the log, too.
  }

  @Override
  void onGap(GapReason reason, long gap) {
    // A loss is marked in the log, too; what only this event loop has dropped the log still has.
  }

  @Override
  long oldestHeld() {
    return oldest(replay, replayed);
  }

  @Override
  boolean step(Pacer pacer) {
    while (pacer.hasRoomFor(subscription)) {
      if (replay != null) {
        goOn(pacer, replay);
      } else if (offset >= topic.offset()) {
        topic.join(subscription);
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
    Logged next = topic.log().at(offset + 1);
    if (next == null) { // given up before this client was ready for it
      tellGap(GapReason.OVERLOAD, topic.offset());
    } else if (next.isMark()) {
      tellGap(next.loss(), next.offset());
    } else {
      offset = pacer.sendFrom(subscription, topic.log(), offset, topic.offset());
    }
  }

  private void tellGap(GapReason reason, long upTo) {
    offset = upTo;
    topic.tellGap(subscription, reason, upTo);
  }

  @Override
  void close() {
    if (replay != null) {
      topic.shard.replays().end(replay);
      replay = null;
    }
  }
}
