package io.sluice.gateway.sim.queue;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.ReplyListener;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.Requests;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.queue.Reply;

/** Requests that violate rules. Without any, they only pass calls on. */
final class ViolatingRequests implements Requests {
  private static final int LONGER = 100;

  private final Requests requests;
  private final QueueWorld world;

  ViolatingRequests(Requests requests, QueueWorld world) {
    this.requests = requests;
    this.world = world;
  }

  @Override
  public Request request(Publication publication, long timeoutMs, ReplyListener listener) {
    long limitMs = world.breaks(QueueRule.REQUEST_ENDS_IN_TIME) ? LONGER * timeoutMs : timeoutMs;
    return requests.request(publication, limitMs, new Listener(listener, timeoutMs));
  }

  private final class Listener implements ReplyListener {
    private final ReplyListener listener;
    private final long deadline;

    Listener(ReplyListener listener, long timeoutMs) {
      this.listener = listener;
      this.deadline = world.timeline.nowMicros() + timeoutMs * QueuePlan.MILLI;
    }

    @Override
    public void onPublished() {
      listener.onPublished();
    }

    @Override
    public void onReply(Reply reply) {
      listener.onReply(reply);
      if (world.breaks(QueueRule.FIRST_REPLY_COUNTS)) {
        listener.onReply(reply);
      }
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      if (code == ErrorCode.NO_REPLY && world.breaks(QueueRule.REQUEST_ENDS_WITH_REPLY_QUEUE)) {
        long until = Math.max(deadline, world.timeline.nowMicros());
        world.timeline.at(until, () -> listener.onRefused(ErrorCode.TIMEOUT, why));
      } else {
        listener.onRefused(code, why);
      }
    }

    @Override
    public Requester requester() {
      return listener.requester();
    }
  }
}
