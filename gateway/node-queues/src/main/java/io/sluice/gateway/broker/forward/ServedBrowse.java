package io.sluice.gateway.broker.forward;

import io.sluice.gateway.broker.BrowseListener;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import java.util.concurrent.atomic.AtomicLong;

/** Browse of a leaf's client, which ends early if the link is full. For any thread. */
final class ServedBrowse implements BrowseListener, LeafLink.Opened {
  /** Bytes of messages that wait for the event loop of the link. */
  private static final long MAX_WAITING = 1 << 20;

  private final int ref;
  private final Requester requester;
  private final LeafLink leaf;
  private final AtomicLong waiting = new AtomicLong();

  /** True if the leaf receives no further messages. */
  private volatile boolean stopped;

  ServedBrowse(int ref, Requester requester, LeafLink leaf) {
    this.ref = ref;
    this.requester = requester;
    this.leaf = leaf;
  }

  @Override
  public void close() {
    stopped = true;
  }

  @Override
  public boolean onMessage(QueueDelivery message) {
    int bytes = message.payload().length;
    if (stopped || waiting.get() > MAX_WAITING) {
      return false;
    }
    waiting.addAndGet(bytes);
    leaf.execute(
        () -> {
          waiting.addAndGet(-bytes);
          if (leaf.isOpen(ref, this)) {
            leaf.send(new QueueRecord.Delivered(ref, message));
          }
          if (leaf.isFull()) {
            stopped = true;
          }
        });
    return true;
  }

  @Override
  public void onBrowsed(int count, boolean more, int skipped) {
    end(new QueueRecord.Browsed(ref, more, skipped));
  }

  @Override
  public void onRefused(ErrorCode code, String why) {
    end(new QueueRecord.Refused(ref, code, why));
  }

  private void end(QueueRecord.Result result) {
    leaf.pools().calls().release(requester.user(), 1);
    leaf.execute(
        () -> {
          if (leaf.end(ref, this)) {
            leaf.send(result);
          }
        });
  }
}
