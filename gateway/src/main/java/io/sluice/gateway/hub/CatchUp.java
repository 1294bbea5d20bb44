package io.sluice.gateway.hub;

import io.sluice.gateway.protocol.GapReason;
import java.util.List;

/**
 * A subscription that is behind the live stream: first it gets what its answer promised, then
 * whatever came meanwhile, out of the log, as fast as its client takes it. When it has caught up it
 * joins the others.
 */
final class CatchUp implements Paced {
  private final Subscription subscription;
  private final ShardTopic topic;
  private final List<Logged> replay;
  private int replayed;

  /** Everything up to here has been handed over once the replay has. */
  private long offset;

  /**
   * @param offset where the live stream begins
   */
  CatchUp(Subscription subscription, List<Logged> replay, long offset) {
    this.subscription = subscription;
    this.topic = subscription.topic;
    this.replay = replay;
    this.offset = offset;
  }

  @Override
  public void onRun(Run run) {
    // It is in the log, too.
  }

  @Override
  public void onGap(GapReason reason, long gap) {
    // A loss is marked in the log, too; what only this event loop has dropped the log still has.
  }

  @Override
  public boolean step(Pacer pacer) {
    while (pacer.hasRoomFor(subscription)) {
      if (replayed < replay.size()) {
        replayed = pacer.send(subscription, replay, replayed);
      } else if (offset >= topic.offset()) {
        topic.join(subscription);
        return false;
      } else {
        goOn(pacer);
      }
    }
    return true;
  }

  private void goOn(Pacer pacer) {
    Logged next = topic.log().at(offset + 1);
    if (next == null) { // given up before this client was ready for it
      offset = topic.offset();
      tellGap(GapReason.OVERLOAD);
    } else if (next.isMark()) {
      offset = next.offset();
      tellGap(next.loss());
    } else {
      offset = pacer.sendFrom(subscription, topic.log(), offset, topic.offset());
    }
  }

  private void tellGap(GapReason reason) {
    topic.shard.metrics().gapsSent(reason.code(), 1);
    subscription.subscriber.onGap(topic.name, reason, offset);
  }
}
