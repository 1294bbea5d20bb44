package io.sluice.gateway.session;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.TracedPublish;
import io.sluice.gateway.limits.QuotaLimits.Limit;
import io.sluice.gateway.limits.TokenBucket;
import io.sluice.gateway.metrics.TraceMeters;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Feature;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.publish.StructuredBody;
import io.sluice.gateway.trace.TraceContext;
import io.sluice.gateway.trace.TraceLog;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publish rate limit of a session, its unanswered publishes, and the checks that all features with
 * publishes share. Only clients that publish have one. Bound to the client's event loop.
 */
public final class Publishing implements SessionFeature.State {
  public static final SessionFeature<Publishing> FEATURE =
      SessionFeature.of(Publishing.class, Publishing::new)
          .on(ClientFrame.Publish.class, Publishing::onPublish);

  private static final Logger log = LoggerFactory.getLogger(Publishing.class);
  private static final String PUBLISH = "publish";

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
  @Override
  public boolean isIdle() {
    return pending == 0;
  }

  /** Does nothing: the broker completes pending publishes. */
  @Override
  public void close(boolean forGood) {}

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
  public Publication accept(String what, ClientFrame.Publish frame) {
    Destination destination = frame.destination();
    TopicRules.Problem problem = problem(frame);
    if (problem != null) {
      session.refuse(what, frame.ref(), problem, destination);
      logRefused(destination, problem.code(), frame.properties().get(TraceContext.PARENT));
      return null;
    }
    String why = rateProblem(destination);
    if (why != null) {
      session.refuse(what, frame.ref(), ErrorCode.RATE_LIMITED, why, destination);
      logRefused(destination, ErrorCode.RATE_LIMITED, frame.properties().get(TraceContext.PARENT));
      return null;
    }
    String wrong = bodyProblem(frame);
    if (wrong != null) {
      session.error(frame.ref(), ErrorCode.BAD_FRAME, wrong, destination);
      return null;
    }
    return publication(frame);
  }

  /** Returns why no message can have the payload of a publish that is permitted, or null. */
  public static String bodyProblem(ClientFrame.Publish frame) {
    return frame.kind() == PayloadKind.JSON ? StructuredBody.problem(frame.payload()) : null;
  }

  private void logRefused(Destination destination, ErrorCode code, Object traceparent) {
    TraceLog.withTrace(log.atDebug(), traceparent)
        .addKeyValue("session", session.client.sessionId())
        .addKeyValue("destination", destination.name())
        .addKeyValue("code", code.code())
        .log("publish.refused");
  }

  /** Returns why the client may not publish a message, or null. */
  public TopicRules.Problem problem(ClientFrame.Publish frame) {
    TopicRules.Problem problem = policy.publishProblem(frame.destination(), session.client.grant());
    return problem == null ? headersProblem(frame.headers(), frame.destination()) : problem;
  }

  /** Returns the message for the broker. */
  public Publication publication(ClientFrame.Publish frame) {
    Destination destination = frame.destination();
    PublishHeaders headers = frame.headers();
    if (headers.id() != null) {
      headers =
          headers.withId(
              PublishIds.hash(session.client.principal().id(), destination, headers.id()));
    }
    return new Publication(destination, frame.kind(), frame.payload(), properties(frame), headers);
  }

  /** Returns the JMS properties of a message, without an invalid trace context. */
  private Map<String, Object> properties(ClientFrame.Publish frame) {
    Map<String, Object> all = frame.properties();
    List<String> invalid = TraceContext.invalidIn(all);
    if (invalid.isEmpty()) {
      return all;
    }
    invalid.forEach(name -> policy.metrics.trace().invalidContext(TraceMeters.CLIENT));
    Map<String, Object> valid = new LinkedHashMap<>(all);
    valid.keySet().removeAll(invalid);
    return valid;
  }

  /** Returns why no message to a destination can have these headers, or null. */
  public TopicRules.Problem headersProblem(PublishHeaders headers, Destination to) {
    if (headers.id() != null && lacks(Feature.PUBLISH_ID, to)) {
      return unsupported("\"id\": the broker of this node does not detect duplicates");
    }
    String delay = policy.sources.delayProblem(headers, to);
    if (delay != null) {
      return unsupported(delay);
    }
    return headers.replyTo() == null
        ? null
        : policy.replyToProblem(headers.replyTo(), session.client.grant());
  }

  private boolean lacks(Feature feature, Destination to) {
    return !policy.sources.of(to).features().contains(feature);
  }

  private static TopicRules.Problem unsupported(String why) {
    return new TopicRules.Problem(ErrorCode.UNSUPPORTED, why);
  }

  /** Returns the exceeded rate limit, or null after counting the publish. */
  private String rateProblem(Destination destination) {
    String problem = ownRateProblem(1);
    return problem == null ? sharedRateProblem(destination) : problem;
  }

  /** Returns the exceeded rate limit of the client, or null after counting all publishes. */
  public String ownRateProblem(int publishes) {
    return bucket.take(publishes, System.nanoTime())
        ? null
        : "over " + policy.options.publishRate() + " publishes a second";
  }

  /** Returns the exceeded rate limit of several clients, or null after counting the publish. */
  public String sharedRateProblem(Destination destination) {
    return text(session.connection.lease().publish(quotaName(destination)));
  }

  private static String text(Limit exceeded) {
    return exceeded == null ? null : exceeded.problem();
  }

  /** Returns the rate limit that publishes at once always exceed, or null. */
  public String burstProblem(List<ClientFrame.Publish> publishes) {
    int own = policy.options.publishRate();
    if (publishes.size() > own) {
      return exceeded(publishes.size(), "limits.publish-rate", own);
    }
    List<String> names = publishes.stream().map(each -> quotaName(each.destination())).toList();
    Limit limit = session.connection.lease().publishBurst(names);
    return limit == null ? null : exceeded(publishes.size(), limit.key(), limit.max());
  }

  private static String exceeded(int publishes, String key, long max) {
    return publishes + " publishes exceeds " + key + " (" + max + "/s)";
  }

  /** Returns the name by which quotas count publishes; no name of a topic contains a slash. */
  public static String quotaName(Destination destination) {
    return destination.isQueue() ? "queue/" + destination.name() : destination.name();
  }

  private void publish(long ref, Publication publication) {
    pending++;
    PublishListener result = new ResultListener(ref, publication);
    TracedPublish.publish(
        policy.tracing, policy.sources.of(publication.destination()), publication, result);
  }

  /** Passes the result of a publish from the publishing thread to the client's event loop. */
  private final class ResultListener implements PublishListener {
    private final long ref;
    private final Destination destination;
    private final Object traceparent;

    ResultListener(long ref, Publication publication) {
      this.ref = ref;
      this.destination = publication.destination();
      this.traceparent = publication.properties().get(TraceContext.PARENT);
    }

    @Override
    public Requester requester() {
      return session.client.requester();
    }

    @Override
    public void onPublished() {
      session.connection.execute(this::onAccepted);
    }

    // Audited even if the client has disconnected: the broker has the message.
    private void onAccepted() {
      session.client.auditPublished(destination);
      onEnd(policy.frames.published(ref));
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      session.connection.execute(() -> onRejected(code, why));
    }

    private void onRejected(ErrorCode code, String why) {
      session.client.auditRefused(PUBLISH, destination, code.code());
      logRefused(destination, code, traceparent);
      onEnd(session.refusal(ref, code, why, destination));
    }
  }

  private void onEnd(ByteBuf reply) {
    session.send(reply);
    pending--;
    session.closeIfComplete();
  }
}
