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
  private final TokenBucket budget;
  private int unanswered;

  Publishing(Session session) {
    this.session = session;
    this.policy = session.policy;
    this.budget =
        new TokenBucket(
            policy.options.publishRate(), policy.options.publishRate(), System.nanoTime());
  }

  boolean isAnswered() {
    return unanswered == 0;
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

  /** Why a publish comes too fast, or null: then it is counted. */
  private String rateProblem(Publication publication) {
    if (!budget.take(System.nanoTime())) {
      return "over " + policy.options.publishRate() + " publishes a second";
    }
    Limit exceeded = session.connection.lease().publish(publication.topic());
    return exceeded == null ? null : exceeded.problem();
  }

  private void publish(long ref, Publication publication) {
    unanswered++;
    policy.hub.publish(publication, new Answer(ref, publication.topic()));
  }

  /** Brings the end of a publish from the publishing thread back to the client. */
  private final class Answer implements PublishListener {
    private final long ref;
    private final String topic;

    Answer(long ref, String topic) {
      this.ref = ref;
      this.topic = topic;
    }

    @Override
    public int sequence() {
      return System.identityHashCode(Publishing.this);
    }

    @Override
    public void onPublished() {
      session.connection.execute(this::onTaken);
    }

    // The message is with the broker even if the client has left meanwhile.
    private void onTaken() {
      if (session.audits(AuditEvent.PUBLISHED)) {
        policy.access.audit().published(session.peer(), topic);
      }
      onEnd(policy.frames.published(ref));
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      session.connection.execute(() -> onNotTaken(code, why));
    }

    private void onNotTaken(ErrorCode code, String why) {
      session.auditRefused("publish", topic, code.code());
      onEnd(session.refusal(ref, code, why, topic));
    }
  }

  private void onEnd(ByteBuf answer) {
    session.send(answer);
    unanswered--;
    session.endIfNothingIsLeft();
  }
}
