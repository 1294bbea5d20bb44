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

/**
 * Publish rate limit of a session, and its unanswered publishes. Only clients that publish have
 * one. Bound to the client's event loop.
 */
final class Publishing {
  private final Session session;
  private final SessionPolicy policy;
  private final TokenBucket bucket;
  private int pending;

  Publishing(Session session) {
    this.session = session;
    this.policy = session.policy;
    this.bucket =
        new TokenBucket(
            policy.options.publishRate(), policy.options.publishRate(), System.nanoTime());
  }

  /** Returns whether no publish is pending. */
  boolean isIdle() {
    return pending == 0;
  }

  void onPublish(ClientFrame.Publish frame) {
    TopicRules.Problem problem = policy.publishProblem(frame.topic(), session.grant());
    if (problem != null) {
      session.refuse("publish", frame.ref(), problem, frame.topic());
      return;
    }
    Publication publication =
        new Publication(frame.topic(), frame.kind(), frame.payload(), frame.properties());
    String why = rateProblem(publication);
    if (why != null) {
      session.refuse("publish", frame.ref(), ErrorCode.RATE_LIMITED, why, frame.topic());
    } else {
      publish(frame.ref(), publication);
    }
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
      return System.identityHashCode(Publishing.this);
    }

    @Override
    public void onPublished() {
      session.connection.execute(this::onAccepted);
    }

    // Audited even if the client has disconnected: the broker has the message.
    private void onAccepted() {
      if (session.isAudited(AuditEvent.PUBLISHED)) {
        policy.access.audit().published(session.peer(), topic);
      }
      onEnd(policy.frames.published(ref));
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      session.connection.execute(() -> onRejected(code, why));
    }

    private void onRejected(ErrorCode code, String why) {
      session.auditRefused("publish", topic, code.code());
      onEnd(session.refusal(ref, code, why, topic));
    }
  }

  private void onEnd(ByteBuf reply) {
    session.send(reply);
    pending--;
    session.closeIfComplete();
  }
}
