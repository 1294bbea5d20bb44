package io.sluice.gateway.session;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.ReplyListener;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.Requests;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.queue.Reply;
import io.sluice.gateway.trace.PublishTrace;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * Pending requests of a session, and the way of their results to the client's event loop. Only
 * clients that send requests have one. Bound to that loop.
 */
final class PendingReplies {
  /** Receiver of the results of requests. Called on the client's event loop. */
  interface Owner {
    /** The broker has accepted a request, whose client may have disconnected. */
    void onAccepted(Destination destination);

    /** A reply has arrived. */
    void onReply(long ref, Reply reply);

    /** A request was refused, or no reply arrives. */
    void onNoReply(long ref, Destination destination, ErrorCode code, String why);
  }

  private final Requests requests;
  private final Owner owner;
  private final Requester requester;
  private final Executor loop;
  private final Set<Pending> pending = new HashSet<>();

  /**
   * @param requester the client
   * @param loop executor of the client's event loop
   */
  PendingReplies(Requests requests, Owner owner, Requester requester, Executor loop) {
    this.requests = requests;
    this.owner = owner;
    this.requester = requester;
    this.loop = loop;
  }

  /** Returns the number of pending requests. */
  int count() {
    return pending.size();
  }

  /**
   * Sends a request.
   *
   * @param traced the same message with its trace, or null
   */
  void request(long ref, Publication publication, TracedPublish traced, long timeoutMs) {
    Pending added = new Pending(ref, publication.destination(), traced);
    pending.add(added);
    added.request =
        requests.request(traced == null ? publication : traced.publication(), timeoutMs, added);
  }

  /** Removes all requests: the session has ended. */
  void cancelAll() {
    for (Pending each : pending) {
      if (each.request != null) {
        each.request.cancel();
      }
    }
    pending.clear();
  }

  /** One request. Its results arrive on any thread. */
  private final class Pending implements ReplyListener {
    private final long ref;
    private final Destination destination;
    private final PublishTrace trace;

    /** Null if it was refused at once. */
    private Requests.Request request;

    Pending(long ref, Destination destination, TracedPublish traced) {
      this.ref = ref;
      this.destination = destination;
      this.trace = traced == null ? null : traced.trace();
    }

    @Override
    public Requester requester() {
      return requester;
    }

    @Override
    public void onPublished() {
      if (trace != null) {
        trace.onAccepted();
      }
      loop.execute(() -> owner.onAccepted(destination));
    }

    // Removed first: the owner may close the session when nothing is pending.
    @Override
    public void onReply(Reply reply) {
      loop.execute(
          () -> {
            pending.remove(this);
            owner.onReply(ref, reply);
          });
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      if (trace != null) { // ended, if only the reply is missing
        trace.onRefused(code.code());
      }
      loop.execute(
          () -> {
            pending.remove(this);
            owner.onNoReply(ref, destination, code, why);
          });
    }
  }
}
