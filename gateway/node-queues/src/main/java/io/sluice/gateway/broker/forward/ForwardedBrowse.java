package io.sluice.gateway.broker.forward;

import io.sluice.gateway.broker.BrowseListener;
import io.sluice.gateway.protocol.ErrorCode;

/** Browse of a leaf's client. Bound to the event loop of the links. */
final class ForwardedBrowse implements ForwardedCall {
  private final ForwardedQueues owner;
  private final String user;
  private final BrowseListener listener;
  private int ref;
  private int count;

  ForwardedBrowse(ForwardedQueues owner, String user, BrowseListener listener) {
    this.owner = owner;
    this.user = user;
    this.listener = listener;
  }

  /** Sets the number of the call; no result has arrived. */
  void begin(int number) {
    ref = number;
  }

  @Override
  public String user() {
    return user;
  }

  @Override
  public boolean onResult(QueueRecord.Result result) {
    if (result instanceof QueueRecord.Delivered delivered) {
      if (listener.onMessage(delivered.message())) {
        count++;
      } else {
        owner.cancel(ref);
        listener.onBrowsed(count, true, 0);
      }
      return false;
    }
    if (result instanceof QueueRecord.Browsed browsed) {
      listener.onBrowsed(count, browsed.more(), browsed.skipped());
    } else if (result instanceof QueueRecord.Refused refused) {
      listener.onRefused(refused.code(), refused.why());
    }
    return true;
  }

  @Override
  public void onLost() {
    listener.onRefused(ErrorCode.BROKER_UNAVAILABLE, LOST);
  }
}
