package io.sluice.gateway.admin.why;

import io.sluice.gateway.query.SubscriptionFigures;
import io.sluice.gateway.query.TopicFigures;
import io.sluice.gateway.query.TopicLoad;
import java.util.ArrayList;
import java.util.List;

/** Steps from the broker to a client of this node, in order. Confined to one thread. */
final class WhySteps {
  private final String topic;
  private final Facts facts;

  /**
   * Figures of this node.
   *
   * @param topics interests that cover the topic
   * @param waiting why no message of the topic arrives from a connected source; empty if unknown
   * @param identityProblem why no position of another node is recovered; empty if such are
   * @param nowMs time of the query, Unix milliseconds
   */
  record Facts(
      String node,
      List<TopicFigures> topics,
      TopicLoad load,
      String brokerState,
      String waiting,
      String identityProblem,
      long nowMs) {}

  WhySteps(String topic, Facts facts) {
    this.topic = topic;
    this.facts = facts;
  }

  /**
   * Returns the steps of a session. With several subscriptions, those of the one that gets most.
   */
  List<WhyStep> of(WhyClient client) {
    WhyStep.Source source = new WhyStep.Source(facts.node(), client.session());
    List<WhyStep> steps = new ArrayList<>();
    String since = "session %s is connected from %s since %s";
    steps.add(
        source.ok(
            WhyStep.SESSION,
            since.formatted(
                client.session(), client.address(), AgeText.ago(client.sinceMs(), facts.nowMs()))));
    steps.add(permission(client, source));
    steps.add(limits(client, source));
    steps.add(interest(client, source));
    List<WhyStep> best = List.of();
    for (SubscriptionFigures subscription : client.subscriptions()) {
      List<WhyStep> next = new SubscriptionSteps(topic, facts, source, subscription, client).all();
      best = best.isEmpty() || okSteps(next) > okSteps(best) ? next : best;
    }
    steps.addAll(best);
    return steps;
  }

  private static long okSteps(List<WhyStep> steps) {
    return steps.stream().takeWhile(step -> !step.isProblem() && !step.isUnknown()).count();
  }

  private WhyStep permission(WhyClient client, WhyStep.Source source) {
    return client.subscribeProblem() == null
        ? source.ok(WhyStep.PERMISSION, "the client may subscribe to \"" + topic + "\"")
        : source.problem(WhyStep.PERMISSION, client.subscribeProblem());
  }

  private WhyStep limits(WhyClient client, WhyStep.Source source) {
    if (!client.subscriptions().isEmpty()) {
      return source.ok(WhyStep.LIMITS, "no limit has rejected the subscription");
    }
    if (client.limitProblem() != null) {
      return source.problem(WhyStep.LIMITS, client.limitProblem());
    }
    if (facts.topics().isEmpty() && facts.load().isFull()) {
      String full = "the node has %d topics, the maximum of limits.per-node.topics";
      return source.problem(WhyStep.LIMITS, full.formatted(facts.load().topics()));
    }
    return source.ok(WhyStep.LIMITS, "no limit rejects a subscription");
  }

  private WhyStep interest(WhyClient client, WhyStep.Source source) {
    if (client.subscriptions().isEmpty()) {
      String none = "the session is not subscribed to \"%s\" or to a pattern that covers it";
      String cause = facts.waiting().isEmpty() ? "" : "; " + facts.waiting();
      return source.problem(WhyStep.INTEREST, none.formatted(topic) + cause);
    }
    SubscriptionFigures first = client.subscriptions().get(0);
    String subscribed = "the session is subscribed to %s since %s";
    return source.ok(
        WhyStep.INTEREST,
        subscribed.formatted(first.key(), AgeText.ago(first.sinceMs(), facts.nowMs())));
  }
}
