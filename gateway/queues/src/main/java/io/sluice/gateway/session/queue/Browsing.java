package io.sluice.gateway.session.queue;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.broker.BrowseListener;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import io.sluice.gateway.protocol.queue.QueueFrames;
import io.sluice.gateway.protocol.value.MessageTime;
import io.sluice.gateway.session.SessionContext;

/**
 * The unanswered browse of a client. The broker's threads call the listener; the rest is bound to
 * the client's event loop. It ends early if its messages are too large for the client's buffer.
 */
final class Browsing implements BrowseListener {
  private final Consumers owner;
  private final SessionContext session;
  private final QueueFrames frames;
  private final long ref;
  private final Destination queue;
  private final long maxBytes;

  /** Bytes of payload so far. Used by the broker's thread. */
  private long bytes;

  private int sent;

  /** True if the broker need not pass further messages. */
  private volatile boolean full;

  /** True if a message could not be sent; those after it are not sent either. */
  private boolean stopped;

  private boolean cancelled;

  Browsing(
      Consumers owner, SessionContext session, QueueFrames frames, long ref, Destination queue) {
    this.owner = owner;
    this.session = session;
    this.frames = frames;
    this.ref = ref;
    this.queue = queue;
    this.maxBytes = session.policy().maxPendingBytes() / 2;
  }

  long ref() {
    return ref;
  }

  Destination queue() {
    return queue;
  }

  /** Ends the browse of a client that has disconnected. */
  void cancel() {
    cancelled = true;
    full = true;
  }

  @Override
  public boolean onMessage(QueueDelivery message) {
    int size = message.payload().length;
    if (full || bytes > 0 && bytes + size > maxBytes) {
      full = true;
      return false;
    }
    bytes += size;
    session.later(() -> send(message));
    return true;
  }

  private void send(QueueDelivery message) {
    if (cancelled || stopped) {
      return;
    }
    boolean binary = session.encoding().isBinary();
    ByteBuf frame = frames.delivery(ref, message, binary && MessageTime.isBinary(message.timeMs()));
    if (session.hasRoomForDelivery(frame.readableBytes())) {
      sent++;
      session.send(frame);
    } else {
      stopped = true;
      full = true;
      frame.release();
    }
  }

  @Override
  public void onBrowsed(int count, boolean more, int skipped) {
    session.later(() -> finish(count, more, skipped));
  }

  private void finish(int count, boolean more, int skipped) {
    if (!cancelled) {
      boolean further = more || sent < count;
      session.send(frames.browsed(ref, queue.name(), sent, further, skipped));
      owner.onBrowseEnd();
    }
  }

  @Override
  public void onRefused(ErrorCode code, String why) {
    session.later(
        () -> {
          if (!cancelled) {
            owner.onBrowseFailed(this, code, why);
          }
        });
  }
}
