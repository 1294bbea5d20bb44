package io.sluice.gateway.session.queue;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.ReplyListener;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.Requests;
import io.sluice.gateway.broker.TracedPublish;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.queue.QueueFrames;
import io.sluice.gateway.protocol.queue.Reply;
import io.sluice.gateway.session.Publishing;
import io.sluice.gateway.session.SessionContext;
import io.sluice.gateway.session.SessionFeature;
import io.sluice.gateway.session.SessionPolicy;
import io.sluice.gateway.trace.PublishTrace;
import java.util.HashSet;
import java.util.Set;

/**
 * Pending requests of a session. Only clients that send requests have one. Bound to the client's
 * event loop.
 */
final class Requesting implements SessionFeature.State {
  private static final String REQUEST = "request";
  private static final long DEFAULT_TIMEOUT_MS = 5_000;

  private final SessionContext session;
  private final SessionPolicy policy;
  private final QueueFrames frames;
  private final Publishing publishing;
  private final Set<Pending> pending = new HashSet<>();

  private Requesting(SessionContext session, QueueFrames frames, Publishing publishing) {
    this.session = session;
    this.policy = session.policy();
    this.frames = frames;
    this.publishing = publishing;
  }

  /** Returns the feature of a node's sessions. */
  static SessionFeature<Requesting> feature(QueueFrames frames) {
    return SessionFeature.of(
            Requesting.class,
            session -> new Requesting(session, frames, session.state(Publishing.FEATURE)))
        .on(ClientFrame.Request.class, Requesting::onRequest);
  }

  /** Returns whether no request is pending. */
  @Override
  public boolean isIdle() {
    return pending.isEmpty();
  }

  private void onRequest(ClientFrame.Request frame) {
    ClientFrame.Publish message = frame.message();
    long maxMs = policy.options().requestTimeoutMs();
    if (frame.timeoutMs() > maxMs) {
      String why =
          "timeout " + frame.timeoutMs() + " exceeds limits.request-timeout (" + maxMs + ")";
      session.error(frame.ref(), ErrorCode.BAD_FRAME, why, message.destination());
      return;
    }
    Publication publication = publishing.accept(REQUEST, message);
    if (publication == null) {
      return;
    }
    TopicRules.Problem problem = policy.besideQueuesProblem(message.destination());
    if (problem != null) {
      session.refuse(REQUEST, frame.ref(), problem, message.destination());
      return;
    }
    int maxPending = policy.options().requests();
    if (pending.size() >= maxPending) {
      String why = "over limits.requests (" + maxPending + ") pending requests";
      session.refuse(REQUEST, frame.ref(), ErrorCode.TOO_MANY_REQUESTS, why, message.destination());
    } else {
      request(frame, publication);
    }
  }

  private void request(ClientFrame.Request frame, Publication publication) {
    boolean limited = frame.timeoutMs() != ClientFrame.NO_TIMEOUT;
    long timeoutMs =
        limited
            ? frame.timeoutMs()
            : Math.min(DEFAULT_TIMEOUT_MS, policy.options().requestTimeoutMs());
    TracedPublish traced = TracedPublish.of(policy.tracing(), publication);
    Pending added = new Pending(frame.ref(), publication.destination(), traced);
    pending.add(added);
    Publication sent = traced == null ? publication : traced.publication();
    added.request = policy.sources().requests().request(sent, timeoutMs, added);
  }

  /** Cancels all requests. */
  @Override
  public void close(boolean forGood) {
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
      return session.client().requester();
    }

    // Audited even if the client has disconnected: the broker has the request.
    @Override
    public void onPublished() {
      if (trace != null) {
        trace.onAccepted();
      }
      session.later(() -> session.client().auditPublished(destination));
    }

    @Override
    public void onReply(Reply reply) {
      session.later(
          () -> {
            pending.remove(this);
            session.send(frames.reply(ref, reply));
            session.closeIfComplete();
          });
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      if (trace != null) { // ended, if only the reply is missing
        trace.onRefused(code.code());
      }
      session.later(() -> onNoReply(code, why));
    }

    private void onNoReply(ErrorCode code, String why) {
      pending.remove(this);
      session.client().auditRefused(REQUEST, destination, code.code());
      session.send(session.refusal(ref, code, why, destination));
      session.closeIfComplete();
    }
  }
}
