package io.sluice.gateway.broker.forward;

import io.sluice.gateway.broker.ReplyListener;
import io.sluice.gateway.broker.Requests;
import io.sluice.gateway.protocol.ErrorCode;

/** Request of a leaf's client. Bound to the event loop of the links. */
final class ForwardedRequest implements ForwardedCall, Requests.Request {
  private final ForwardedQueues owner;
  private final ReplyListener listener;
  private int ref;
  private boolean pending;

  ForwardedRequest(ForwardedQueues owner, ReplyListener listener) {
    this.owner = owner;
    this.listener = listener;
  }

  /**
   * Sets the number of the call; no result has arrived.
   *
   * @param number 0 if the request has been refused
   */
  void begin(int number) {
    ref = number;
    pending = number != 0;
    if (pending) {
      owner.metrics().requestsPending(1);
    }
  }

  /** Any thread. */
  @Override
  public void cancel() {
    owner.execute(
        () -> {
          if (pending) {
            end("cancelled");
            owner.cancel(ref);
          }
        });
  }

  private void end(String outcome) {
    if (pending) {
      pending = false;
      owner.metrics().requestsPending(-1);
    }
    owner.metrics().requestEnded(outcome);
  }

  @Override
  public String user() {
    return listener.requester().user();
  }

  @Override
  public boolean onResult(QueueRecord.Result result) {
    if (result instanceof QueueRecord.Done) {
      listener.onPublished();
      return false;
    }
    if (result instanceof QueueRecord.Replied replied) {
      end("replied");
      listener.onReply(replied.reply());
    } else if (result instanceof QueueRecord.Refused refused) {
      end(refused.code().code());
      listener.onRefused(refused.code(), refused.why());
    }
    return true;
  }

  @Override
  public void onLost() {
    end(ErrorCode.NO_REPLY.code());
    listener.onRefused(ErrorCode.NO_REPLY, LOST);
  }
}
