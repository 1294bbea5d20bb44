package io.sluice.gateway.broker.forward;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.LinkGrants.Kind;
import io.sluice.gateway.hub.Sources;
import io.sluice.gateway.link.LeafPublishes;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.TopicRules.Problem;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Checks of a root for what leaves request. A leaf has checked the same for its client, but need
 * not be honest. Immutable, for any thread.
 */
record LeafPermissions(ForwardOptions options, Sources sources) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

  private static Problem forbidden(String key) {
    return new Problem(ErrorCode.FORBIDDEN, key + " of the root does not permit it");
  }

  /** Returns why a leaf may not consume, or null. */
  Problem consumeProblem(QueueRequest request) {
    if (request.credit() < 0 || request.credit() > options.credit()) {
      String why =
          "the credit is %d; %s of the root is %d"
              .formatted(request.credit(), LimitSettings.CONSUMER_CREDIT.key(), options.credit());
      return new Problem(ErrorCode.BAD_FRAME, why);
    }
    return request.queue() != null
        ? queueProblem(request)
        : first(
            subscriptionProblem(request.subscription()), options.selectorProblem(request.where()));
  }

  /** Returns why a leaf may not use a queue, or null. */
  Problem queueProblem(QueueRequest request) {
    if (request.queue() == null) {
      return new Problem(ErrorCode.BAD_FRAME, "the queue is missing");
    }
    Problem invalid = options.rules().checkTopic(request.queue());
    if (invalid == null && !options.subscribe().permit(Kind.QUEUE, request.queue())) {
      return forbidden("links.subscribe");
    }
    return first(invalid, options.selectorProblem(request.where()));
  }

  /** Returns why a leaf may not use a subscription, or null. */
  Problem subscriptionProblem(TopicSubscription subscription) {
    Problem invalid = options.rules().checkPattern(subscription.topic());
    if (invalid == null && !NAME.matcher(subscription.name()).matches()) {
      return new Problem(ErrorCode.BAD_FRAME, "the name of the subscription is invalid");
    }
    Kind kind = subscription.durable() ? Kind.DURABLE : Kind.SHARED;
    return invalid != null || options.subscribe().permit(kind, subscription.topic())
        ? invalid
        : forbidden("links.subscribe");
  }

  /** Returns the checks of what the leaf publishes. */
  LeafPublishes publishes() {
    return new LeafPublishes(options.publish(), options.subscribe(), options.rules(), sources);
  }

  /** Returns why a leaf may not publish these messages in a transaction, or null. */
  Problem publishProblem(List<Publication> publications, int acknowledgements) {
    int parts = publications.size() + acknowledgements;
    if (parts == 0 || parts > options.transaction()) {
      String why =
          "the transaction has %d parts; %s of the root is %d"
              .formatted(parts, LimitSettings.TRANSACTION.key(), options.transaction());
      return new Problem(ErrorCode.BAD_FRAME, why);
    }
    for (int i = 0; i < publications.size(); i++) {
      Problem problem = publishes().problem(publications.get(i));
      if (problem != null) {
        return new Problem(problem.code(), "publish " + (i + 1) + ": " + problem.message());
      }
    }
    return null;
  }

  private static Problem first(Problem first, Problem second) {
    return first == null ? second : first;
  }
}
