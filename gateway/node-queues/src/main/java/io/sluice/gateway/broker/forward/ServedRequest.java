package io.sluice.gateway.broker.forward;

import io.sluice.gateway.broker.ReplyListener;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.Requests;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.queue.Reply;

/** Request of a leaf's client. Bound to the event loop of the link; the listener is for any. */
final class ServedRequest implements ReplyListener, LeafLink.Opened {
  private final int ref;
  private final Requester requester;
  private final LeafLink leaf;

  /** Null if it was refused at once. */
  private Requests.Request request;

  ServedRequest(int ref, Requester requester, LeafLink leaf) {
    this.ref = ref;
    this.requester = requester;
    this.leaf = leaf;
  }

  void begin(Requests.Request accepted) {
    request = accepted;
  }

  @Override
  public Requester requester() {
    return requester;
  }

  @Override
  public void close() {
    if (request != null) {
      request.cancel();
    }
    leaf.pools().requests().release(requester.user(), 1);
  }

  @Override
  public void onPublished() {
    leaf.execute(
        () -> {
          if (leaf.isOpen(ref, this)) {
            leaf.send(new QueueRecord.Done(ref));
          }
        });
  }

  @Override
  public void onReply(Reply reply) {
    end(new QueueRecord.Replied(ref, reply));
  }

  @Override
  public void onRefused(ErrorCode code, String why) {
    end(new QueueRecord.Refused(ref, code, why));
  }

  private void end(QueueRecord.Result result) {
    leaf.execute(
        () -> {
          if (leaf.end(ref, this)) {
            leaf.pools().requests().release(requester.user(), 1);
            leaf.send(result);
          }
        });
  }
}
