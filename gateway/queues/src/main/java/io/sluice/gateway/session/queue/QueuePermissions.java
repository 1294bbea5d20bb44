package io.sluice.gateway.session.queue;

import io.sluice.gateway.auth.Grant;
import io.sluice.gateway.config.PermissionRule.Operation;
import io.sluice.gateway.protocol.ConsumerSource;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.session.SessionPolicy;

/** Permissions to use queues and subscriptions at the broker. Stateless, for any thread. */
final class QueuePermissions {
  private static final String NO_DURABLE =
      "topic is not open to durable subscriptions on this node: ";
  private static final String NO_SHARED =
      "topic is not open to shared subscriptions on this node: ";

  private QueuePermissions() {}

  /**
   * Returns why a client may not consume a queue or a subscription, or null.
   *
   * @param where selector, or null
   */
  static TopicRules.Problem consumeProblem(
      SessionPolicy by, ConsumerSource source, String where, Grant grant) {
    String name = source.destination().name();
    return switch (source.kind()) {
      case QUEUE -> {
        TopicRules.Problem problem = queueProblem(by, name, where);
        yield problem == null ? by.consumeProblem(name, grant) : problem;
      }
      case DURABLE -> durableProblem(by, new InterestKey(name, where), grant);
      case SHARED -> sharedProblem(by, new InterestKey(name, where), grant);
    };
  }

  /** Returns why a client may not use durable subscriptions of a topic or pattern, or null. */
  static TopicRules.Problem durableProblem(SessionPolicy by, InterestKey key, Grant grant) {
    String topic = key.topic();
    TopicRules.Problem problem = by.subscribeProblem(key, grant);
    if (problem == null) {
      problem = SessionPolicy.coverProblem(topic, by.options().durableTopics(), NO_DURABLE);
    }
    problem = problem == null ? by.besideQueuesProblem(Destination.topic(topic)) : problem;
    return problem != null || grant.mayHaveDurable(topic)
        ? problem
        : SessionPolicy.notGranted(topic, "have durable subscriptions of");
  }

  /** Returns why a client may not list its durable subscriptions, or null. */
  static TopicRules.Problem listProblem(SessionPolicy by, Grant grant) {
    return by.options().durableTopics().isEmpty() || !grant.mayHaveDurables()
        ? new TopicRules.Problem(
            ErrorCode.FORBIDDEN, "this client may not have durable subscriptions")
        : null;
  }

  private static TopicRules.Problem sharedProblem(SessionPolicy by, InterestKey key, Grant grant) {
    String topic = key.topic();
    TopicRules.Problem problem = by.subscribeProblem(key, grant);
    if (problem == null) {
      problem = SessionPolicy.coverProblem(topic, by.options().sharedTopics(), NO_SHARED);
    }
    problem = problem == null ? by.besideQueuesProblem(Destination.topic(topic)) : problem;
    return problem != null || grant.mayShare(topic)
        ? problem
        : SessionPolicy.notGranted(topic, "have shared subscriptions of");
  }

  /**
   * Returns why a client may not browse a queue, or null.
   *
   * @param where selector, or null
   */
  static TopicRules.Problem browseProblem(
      SessionPolicy by, String queue, String where, Grant grant) {
    TopicRules.Problem problem = queueProblem(by, queue, where);
    if (problem == null) {
      problem =
          by.queueProblem(
              queue,
              by.options().browseQueues(),
              grant.all(Operation.BROWSE),
              "queue cannot be browsed at this node: ");
    }
    return problem != null || grant.mayBrowse(queue)
        ? problem
        : SessionPolicy.notGranted(queue, "browse the queue");
  }

  private static TopicRules.Problem queueProblem(SessionPolicy by, String queue, String where) {
    TopicRules.Problem problem = by.options().topicRules().checkTopic(queue);
    return problem == null && where != null ? by.selectorProblem(where) : problem;
  }
}
