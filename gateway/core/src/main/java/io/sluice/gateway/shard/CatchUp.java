package io.sluice.gateway.shard;

import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.protocol.GapReason;

/**
 * Catch-up state of a subscription that is behind the live stream, or tagged. It sends the snapshot
 * announced by the reply, if any, and then the log, as fast as the client accepts it. A caught-up
 * subscription then becomes live. A tagged one remains here: it receives live messages directly and
 * reads those that exceed the client's buffer limit from the log later. Bound to the shard's event
 * loop.
 *
 * <p>Subscriptions with {@code latest} or {@code rate} have a {@link Conflation} instead.
 */
final class CatchUp extends Paced {
  private final SubscriptionState subscription;

  /** Snapshot that precedes the log; null if there is none, or once it was sent. */
  private PromisedSnapshot snapshot;

  /** Number of messages of the snapshot that were sent. */
  private int snapshotSent;

  /** Offset in the log up to which the client was sent messages and gaps. */
  private long offset;

  /**
   * Offset of the last message that is sent even if it has expired, because the reply has announced
   * it.
   */
  private final long promised;

  /** Offset of the last message sent to the live subscriptions. */
  private long reached;

  /** Reason of a gap that has not been sent, or null. */
  private GapReason pendingGap;

  private long pendingGapOffset;

  /**
   * Creates a state that has sent nothing.
   *
   * @param snapshot messages that precede the log, or null
   * @param offset offset after which the log follows
   */
  CatchUp(SubscriptionState subscription, PromisedSnapshot snapshot, long offset) {
    this.subscription = subscription;
    this.snapshot = snapshot;
    this.offset = offset;
    this.reached = topic().offset();
    this.promised = subscription.omitsExpired() ? reached : Long.MAX_VALUE;
  }

  // A tagged subscription reads from the log only what it cannot be sent live, because the log may
  // evict a message before it is read.
  @Override
  boolean onMessages(MessageBatch messages, Pacer pacer) {
    if (pendingGap != null && pacer.makesRoomFor(subscription)) {
      sendPendingGap();
    }
    if (subscription.tagged && isLive() && messages.first().offset == offset + 1) {
      while (offset < messages.last().offset && pacer.makesRoomFor(subscription)) {
        offset = pacer.sendLive(subscription, messages, offset);
      }
    }
    reached = messages.last().offset;
    return offset < reached || !subscription.tagged;
  }

  private SubscribedTopic topic() {
    return subscription.topic;
  }

  /** Schedules a gap, which is sent before any other frame. */
  void scheduleGap(GapReason reason, long gapOffset) {
    pendingGap = reason;
    pendingGapOffset = gapOffset;
  }

  /** Returns whether the client was sent everything that live subscriptions were sent. */
  private boolean isLive() {
    return snapshot == null
        && pendingGap == null
        && offset == reached
        && announced == topic().channelsFor(subscription).size();
  }

  // The log also has a gap marker, and the messages that only this event loop dropped. A log with a
  // retention of 0 has neither.
  @Override
  void onGap(GapReason reason, long gap) {
    if (subscription.tagged && isLive()) {
      scheduleGap(reason, gap);
    }
    reached = gap;
  }

  @Override
  long provenMs() {
    boolean isBehind = snapshot != null || pendingGap != null || offset < topic().offset();
    return isBehind ? NOT_PROVEN : NOTHING_HELD;
  }

  @Override
  long position() {
    return offset;
  }

  @Override
  long oldestRetained() {
    return oldest(snapshot, snapshotSent);
  }

  // Only the snapshot retains messages; step reads all later ones from the log.
  @Override
  void discardRetained(long upTo) {
    if (snapshot != null) {
      close();
      scheduleGap(GapReason.OVERLOAD, offset);
    }
  }

  @Override
  boolean step(Pacer pacer) {
    while (pacer.hasRoomFor(subscription)) {
      if (pendingGap != null) {
        sendPendingGap();
      } else if (snapshot != null) {
        sendSnapshot(pacer, snapshot);
      } else if (offset >= topic().offset()) {
        if (!subscription.tagged) {
          topic().join(subscription);
        }
        return false;
      } else {
        sendLog(pacer);
      }
    }
    return true;
  }

  private void sendSnapshot(Pacer pacer, PromisedSnapshot promised) {
    if (promised.isCut()) {
      close();
      sendGap(GapReason.OVERLOAD, topic().offset());
      return;
    }
    if (snapshotSent < promised.size()) {
      snapshotSent = pacer.send(subscription, promised.messages(), snapshotSent);
    }
    if (snapshotSent == promised.size()) {
      reportLoss(subscription, promised); // first, so that the next step retries a failed gap
      close();
    }
  }

  private void sendLog(Pacer pacer) {
    LogEntry next = topic().log().at(offset + 1);
    // A restart at the oldest entry would leave a slow client at the end of the log permanently.
    if (next == null) { // evicted before the client accepted it
      sendGap(GapReason.OVERLOAD, topic().offset());
    } else if (next.isGap()) {
      sendGap(next.gapReason(), next.offset());
    } else if (next.offset() > promised && next.isExpired(pacer.wallMs())) {
      offset = next.offset();
    } else {
      offset = pacer.sendFrom(subscription, topic().log(), offset, topic().offset(), promised);
    }
  }

  // The messages are in the log.
  @Override
  void onFault(long upTo) {
    reached = upTo;
  }

  private void sendPendingGap() {
    sendGap(pendingGap, pendingGapOffset);
    pendingGap = null;
  }

  // The offset is set last, so that the next step retries a failed gap.
  private void sendGap(GapReason reason, long upTo) {
    topic().sendGap(subscription, reason, upTo);
    offset = upTo;
  }

  @Override
  void close() {
    if (snapshot != null) {
      topic().endSnapshot(snapshot);
      snapshot = null;
    }
  }
}
