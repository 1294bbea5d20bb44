package io.sluice.gateway.link;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.config.LinkGrants;
import io.sluice.gateway.config.LinkGrants.Kind;
import io.sluice.gateway.hub.Sources;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.TopicRules.Problem;

/**
 * Checks of a root for what leaves publish. A leaf has checked the same for its client, but need
 * not be honest. Immutable, for any thread.
 *
 * @param publish where leaves may publish
 * @param subscribe what leaves may receive
 */
public record LeafPublishes(
    LinkGrants publish, LinkGrants subscribe, TopicRules rules, Sources sources) {
  /** Returns why a leaf may not publish a message, or null. */
  public Problem problem(Publication publication) {
    Problem problem = problem(publish, "links.publish", publication.destination());
    return problem == null ? headersProblem(publication) : problem;
  }

  /** Returns why no message of a leaf to this destination can have these headers, or null. */
  public Problem headersProblem(Publication publication) {
    String delay = sources.delayProblem(publication.headers(), publication.destination());
    if (delay != null) {
      return new Problem(ErrorCode.UNSUPPORTED, "at the root: " + delay);
    }
    Destination replyTo = publication.headers().replyTo();
    return replyTo == null ? null : replyToProblem(replyTo);
  }

  // Responders publish there, and its client could answer its own message.
  private Problem replyToProblem(Destination replyTo) {
    Problem problem = problem(publish, "links.publish", replyTo);
    if (problem == null) {
      problem = problem(subscribe, "links.subscribe", replyTo);
    }
    return problem == null
        ? null
        : new Problem(problem.code(), "\"replyTo\": " + problem.message());
  }

  private Problem problem(LinkGrants grants, String key, Destination destination) {
    Kind kind = destination.isQueue() ? Kind.QUEUE : Kind.TOPIC;
    Problem invalid = rules.checkTopic(destination.name());
    return invalid != null || grants.permit(kind, destination.name())
        ? invalid
        : new Problem(ErrorCode.FORBIDDEN, key + " of the root does not permit it");
  }
}
