package io.sluice.gateway.session;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.audit.AuditEvent;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.limits.QuotaLimits.Limit;
import io.sluice.gateway.limits.TokenBucket;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.queue.Reply;

/**
 * Publish rate limit of a session, its unanswered publishes, and its requests. Only clients that
 * publish have one. Bound to the client's event loop.
 */
final class Publishing {
  private static final String PUBLISH = "publish";
  private static final String REQUEST = "request";

  private final Session session;
  private final SessionPolicy policy;
  private final TokenBucket bucket;
  private int pending;

  /** Null until the client sends a request. */
  private PendingReplies requests;

  Publishing(Session session) {
    this.session = session;
    this.policy = session.policy;
    this.bucket =
        new TokenBucket(
            policy.options.publishRate(), policy.options.publishRate(), System.nanoTime());
  }

  /** Returns whether no publish and no request is pending. */
  boolean isIdle() {
    return pending == 0 && pendingRequests() == 0;
  }

  private int pendingRequests() {
    return requests == null ? 0 : requests.count();
  }

  /** Removes the pending requests: the session has ended. */
  void cancelRequests() {
    if (requests != null) {
      requests.cancelAll();
    }
  }

  void onRequest(ClientFrame.Request frame) {
    ClientFrame.Publish message = frame.message();
    long maxMs = policy.options.requestTimeoutMs();
    if (frame.timeoutMs() > maxMs) {
      String why =
          "timeout " + frame.timeoutMs() + " exceeds limits.request-timeout (" + maxMs + ")";
      session.error(frame.ref(), ErrorCode.BAD_FRAME, why, message.topic());
      return;
    }
    Publication publication = accept(REQUEST, message);
    if (publication == null) {
      return;
    }
    int maxPending = policy.options.requests();
    if (pendingRequests() >= maxPending) {
      String why = "over limits.requests (" + maxPending + ") pending requests";
      session.refuse(REQUEST, frame.ref(), ErrorCode.TOO_MANY_REQUESTS, why, message.topic());
    } else {
      request(frame, publication);
    }
  }

  private void request(ClientFrame.Request frame, Publication publication) {
    if (requests == null) {
      requests =
          new PendingReplies(
              policy.hub.requests(), new Results(), sequence(), session.connection::execute);
    }
    boolean limited = frame.timeoutMs() != ClientFrame.NO_TIMEOUT;
    long timeoutMs = limited ? frame.timeoutMs() : policy.options.defaultRequestTimeoutMs();
    requests.request(frame.ref(), publication, timeoutMs);
  }

  /** Sends the results of requests to the client. */
  private final class Results implements PendingReplies.Owner {
    @Override
    public void onAccepted(String topic) {
      audit(topic);
    }

    @Override
    public void onReply(long ref, Reply reply) {
      session.send(policy.frames.reply(ref, reply));
      session.closeIfComplete();
    }

    @Override
    public void onNoReply(long ref, String topic, ErrorCode code, String why) {
      session.auditRefused(REQUEST, topic, code.code());
      session.send(session.refusal(ref, code, why, topic));
      session.closeIfComplete();
    }
  }

  void onPublish(ClientFrame.Publish frame) {
    Publication publication = accept(PUBLISH, frame);
    if (publication != null) {
      publish(frame.ref(), publication);
    }
  }

  /**
   * Checks permissions and rates of a publish, and counts it.
   *
   * @param what type of the frame, for the audit log
   * @return null if the client has received an error
   */
  Publication accept(String what, ClientFrame.Publish frame) {
    TopicRules.Problem problem = policy.publishProblem(frame.topic(), session.grant());
    if (problem != null) {
      session.refuse(what, frame.ref(), problem, frame.topic());
      return null;
    }
    Publication publication =
        new Publication(frame.topic(), frame.kind(), frame.payload(), frame.properties());
    String why = rateProblem(publication);
    if (why != null) {
      session.refuse(what, frame.ref(), ErrorCode.RATE_LIMITED, why, frame.topic());
      return null;
    }
    return publication;
  }

  /** Returns the number by which the client's publishes are sent in order. */
  int sequence() {
    return System.identityHashCode(this);
  }

  /** Returns the exceeded rate limit, or null after counting the publish. */
  private String rateProblem(Publication publication) {
    if (!bucket.take(System.nanoTime())) {
      return "over " + policy.options.publishRate() + " publishes a second";
    }
    Limit exceeded = session.connection.lease().publish(publication.topic());
    return exceeded == null ? null : exceeded.problem();
  }

  private void publish(long ref, Publication publication) {
    pending++;
    policy.hub.publish(publication, new ResultListener(ref, publication.topic()));
  }

  /** Passes the result of a publish from the publishing thread to the client's event loop. */
  private final class ResultListener implements PublishListener {
    private final long ref;
    private final String topic;

    ResultListener(long ref, String topic) {
      this.ref = ref;
      this.topic = topic;
    }

    @Override
    public int sequence() {
      return Publishing.this.sequence();
    }

    @Override
    public void onPublished() {
      session.connection.execute(this::onAccepted);
    }

    // Audited even if the client has disconnected: the broker has the message.
    private void onAccepted() {
      audit(topic);
      onEnd(policy.frames.published(ref));
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      session.connection.execute(() -> onRejected(code, why));
    }

    private void onRejected(ErrorCode code, String why) {
      session.auditRefused(PUBLISH, topic, code.code());
      onEnd(session.refusal(ref, code, why, topic));
    }
  }

  private void audit(String topic) {
    if (session.isAudited(AuditEvent.PUBLISHED)) {
      policy.access.audit().published(session.peer(), topic);
    }
  }

  private void onEnd(ByteBuf reply) {
    session.send(reply);
    pending--;
    session.closeIfComplete();
  }
}
