package io.sluice.gateway.session.queue;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.TracedPublish;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.limits.QuotaLimits.Limit;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.queue.QueueFrames;
import io.sluice.gateway.session.Publishing;
import io.sluice.gateway.session.SessionContext;
import io.sluice.gateway.session.SessionFeature;
import java.util.function.BiConsumer;

/**
 * Replies of a session to messages of its consumers. Only clients that reply have one. Bound to the
 * client's event loop.
 */
final class Responding implements SessionFeature.State {
  private static final String RESPOND = "respond";

  private final SessionContext session;
  private final QueueFrames frames;
  private final Publishing publishing;
  private final Consumers consumers;
  private int pending;

  private Responding(
      SessionContext session, QueueFrames frames, Publishing publishing, Consumers consumers) {
    this.session = session;
    this.frames = frames;
    this.publishing = publishing;
    this.consumers = consumers;
  }

  /** Returns the feature of a node's sessions. */
  static SessionFeature<Responding> feature(
      QueueFrames frames, SessionFeature<Consumers> consumers) {
    return SessionFeature.of(
            Responding.class,
            session ->
                new Responding(
                    session, frames, session.state(Publishing.FEATURE), session.state(consumers)))
        .on(ClientFrame.Respond.class, Responding::onRespond);
  }

  /** Returns whether no reply is pending. */
  @Override
  public boolean isIdle() {
    return pending == 0;
  }

  private void onRespond(ClientFrame.Respond frame) {
    consumers.respond(frame, this);
  }

  /** Does nothing: the broker completes pending replies. */
  @Override
  public void close(boolean forGood) {}

  /**
   * Answers a message of a queue.
   *
   * @param queue queue of the message
   * @param sender publisher of the reply
   */
  void respond(
      ClientFrame.Respond frame,
      Destination queue,
      BiConsumer<Publication, PublishListener> sender) {
    ClientFrame.Publish reply = frame.reply();
    ResponseListener result = new ResponseListener(frame, queue);
    TopicRules.Problem problem = publishing.headersProblem(reply.headers(), reply.destination());
    if (problem != null) {
      result.sendRefusal(problem.code(), problem.message());
      return;
    }
    Publication publication = publishing.publication(reply);
    String why = publishing.ownRateProblem(1);
    if (why == null) {
      why = text(result.lease.publish());
    }
    String wrong = why == null ? Publishing.bodyProblem(reply) : null;
    if (why != null) {
      result.sendRefusal(ErrorCode.RATE_LIMITED, why);
    } else if (wrong != null) {
      result.sendError(ErrorCode.BAD_FRAME, wrong);
    } else {
      pending++;
      send(publication, result, sender);
    }
  }

  private void send(
      Publication publication,
      PublishListener result,
      BiConsumer<Publication, PublishListener> sender) {
    TracedPublish traced = TracedPublish.of(session.policy().tracing(), publication);
    if (traced == null) {
      sender.accept(publication, result);
    } else {
      sender.accept(traced.publication(), traced.ending(result));
    }
  }

  private static String text(Limit exceeded) {
    return exceeded == null ? null : exceeded.problem();
  }

  /** Passes the result of a reply to the client's event loop. */
  private final class ResponseListener implements PublishListener {
    private final ClientFrame.Respond frame;
    private final Lease lease = session.lease();

    /** Destination for the audit log: that of the reply, or the message's source until known. */
    private Destination destination;

    ResponseListener(ClientFrame.Respond frame, Destination source) {
      this.frame = frame;
      this.destination = source;
    }

    @Override
    public Requester requester() {
      return session.client().requester();
    }

    // The result follows on the event loop.
    @Override
    public void onDestination(Destination replyTo) {
      if (replyTo != null) {
        destination = replyTo;
      }
    }

    @Override
    public String rateProblem() {
      return text(lease.publishTo(Publishing.quotaName(destination)));
    }

    @Override
    public void onPublished() {
      session.later(this::onAccepted);
    }

    private void onAccepted() {
      session.client().auditPublished(destination);
      session.send(session.policy().frames().published(frame.ref()));
      onEnd();
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      session.later(
          () -> {
            sendRefusal(code, why);
            onEnd();
          });
    }

    private void onEnd() {
      pending--;
      session.closeIfComplete();
    }

    void sendRefusal(ErrorCode code, String why) {
      session.client().auditRefused(RESPOND, destination, code.code());
      session.policy().metrics().clientError(code.code());
      session.send(frames.error(frame.ref(), code, why, frame.subscription(), frame.tag()));
    }

    void sendError(ErrorCode code, String why) {
      session.client().auditRefused(RESPOND, destination, code.code());
      session.error(
          code,
          why,
          (sent, message) ->
              frames.error(frame.ref(), sent, message, frame.subscription(), frame.tag()));
    }
  }
}
