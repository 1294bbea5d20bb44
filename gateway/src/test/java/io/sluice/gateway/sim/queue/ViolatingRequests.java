package io.sluice.gateway.sim.queue;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.ReplyListener;
import io.sluice.gateway.broker.Requests;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.queue.Reply;
import java.util.function.Predicate;

/** Requests that violate rules. Without any, they only pass calls on. */
final class ViolatingRequests implements Requests {
  private static final int LONGER = 100;

  private final Requests requests;
  private final Predicate<QueueRule> breaks;

  ViolatingRequests(Requests requests, Predicate<QueueRule> breaks) {
    this.requests = requests;
    this.breaks = breaks;
  }

  @Override
  public Request request(Publication publication, long timeoutMs, ReplyListener listener) {
    long limitMs = breaks.test(QueueRule.REQUEST_ENDS_IN_TIME) ? LONGER * timeoutMs : timeoutMs;
    return requests.request(publication, limitMs, new Listener(listener));
  }

  private final class Listener implements ReplyListener {
    private final ReplyListener listener;

    Listener(ReplyListener listener) {
      this.listener = listener;
    }

    @Override
    public void onPublished() {
      listener.onPublished();
    }

    @Override
    public void onReply(Reply reply) {
      listener.onReply(reply);
      if (breaks.test(QueueRule.FIRST_REPLY_COUNTS)) {
        listener.onReply(reply);
      }
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      listener.onRefused(code, why);
    }

    @Override
    public int sequence() {
      return listener.sequence();
    }
  }
}
