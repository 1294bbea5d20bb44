package io.sluice.gateway.admin.query;

import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.query.ConsumerState;
import io.sluice.gateway.query.SubscriptionFigures;
import io.sluice.gateway.query.TopicFigures;
import io.sluice.gateway.query.TopicLoad;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Steps from the broker to a client of this node, in order. Confined to one thread. */
final class WhySteps {
  /** Bytes that may wait for a client for a moment, without a problem. */
  static final long NORMAL_PENDING_BYTES = 64 * 1024;

  private final String topic;
  private final Facts facts;

  /**
   * Figures of this node.
   *
   * @param topics interests that cover the topic
   */
  record Facts(String node, List<TopicFigures> topics, TopicLoad load, String brokerState) {}

  WhySteps(String topic, Facts facts) {
    this.topic = topic;
    this.facts = facts;
  }

  /**
   * Returns the steps of a session. With several subscriptions, those of the one that gets most.
   */
  List<WhyStep> of(WhyClient client) {
    List<WhyStep> steps = new ArrayList<>();
    String since = "session %s is connected from %s since %s";
    steps.add(
        ok(
            WhyStep.SESSION,
            since.formatted(client.session(), client.address(), time(client.sinceMs()))));
    steps.add(permission(client));
    steps.add(limits(client));
    steps.add(interest(client));
    List<WhyStep> best = List.of();
    for (SubscriptionFigures subscription : client.subscriptions()) {
      List<WhyStep> next = of(client, subscription);
      best = best.isEmpty() || okSteps(next) > okSteps(best) ? next : best;
    }
    steps.addAll(best);
    return steps;
  }

  private static long okSteps(List<WhyStep> steps) {
    return steps.stream().takeWhile(step -> !step.isProblem() && !step.isUnknown()).count();
  }

  private WhyStep permission(WhyClient client) {
    return client.subscribeProblem() == null
        ? ok(WhyStep.PERMISSION, "the client may subscribe to \"" + topic + "\"")
        : problem(WhyStep.PERMISSION, client.subscribeProblem());
  }

  private WhyStep limits(WhyClient client) {
    if (!client.subscriptions().isEmpty()) {
      return ok(WhyStep.LIMITS, "no limit has rejected the subscription");
    }
    if (client.limitProblem() != null) {
      return problem(WhyStep.LIMITS, client.limitProblem());
    }
    if (facts.topics().isEmpty() && facts.load().isFull()) {
      String full = "the node has %d topics, the maximum of limits.per-node.topics";
      return problem(WhyStep.LIMITS, full.formatted(facts.load().topics()));
    }
    return ok(WhyStep.LIMITS, "no limit rejects a subscription");
  }

  private WhyStep interest(WhyClient client) {
    if (client.subscriptions().isEmpty()) {
      String none = "the session is not subscribed to \"%s\" or to a pattern that covers it";
      return problem(WhyStep.INTEREST, none.formatted(topic));
    }
    SubscriptionFigures first = client.subscriptions().get(0);
    return ok(
        WhyStep.INTEREST,
        "the session is subscribed to %s since %s".formatted(first.key(), time(first.sinceMs())));
  }

  private List<WhyStep> of(WhyClient client, SubscriptionFigures subscription) {
    TopicFigures interest =
        facts.topics().stream()
            .filter(each -> each.key().equals(subscription.key()))
            .findFirst()
            .orElse(null);
    WhyStep consumer = consumer(subscription, interest);
    if (consumer.isProblem()) {
      return List.of(consumer);
    }
    return List.of(
        consumer,
        lastMessage(subscription, interest),
        filter(subscription, interest),
        position(client, subscription),
        gaps(subscription));
  }

  private WhyStep consumer(SubscriptionFigures subscription, TopicFigures interest) {
    if (interest == null) {
      String none = "the node has no consumer of %s at the broker; broker: %s";
      return problem(WhyStep.CONSUMER, none.formatted(subscription.key(), facts.brokerState()));
    }
    if (interest.consumer() == ConsumerState.ACTIVE && subscription.admitted()) {
      return ok(WhyStep.CONSUMER, "the consumer of " + interest.key() + " is active");
    }
    String state = "the consumer of %s at the broker is %s; broker: %s";
    return problem(
        WhyStep.CONSUMER,
        state.formatted(interest.key(), interest.consumer().word(), facts.brokerState()));
  }

  private WhyStep lastMessage(SubscriptionFigures subscription, TopicFigures interest) {
    TopicFigures seen = hasNewMessage(subscription, interest) ? interest : unfiltered(subscription);
    if (seen != null && TopicPattern.isPattern(seen.key().topic()) && !hasExact(subscription)) {
      String any =
          "messages of %s have arrived, the latest at %s; it is unknown whether any is of \"%s\"";
      return WhyStep.unknown(
          WhyStep.LAST_MESSAGE,
          any.formatted(seen.key(), time(seen.lastMessageMs()), topic),
          facts.node());
    }
    if (seen != null) {
      String at = "the latest message of %s has arrived at %s";
      return ok(WhyStep.LAST_MESSAGE, at.formatted(seen.key(), time(seen.lastMessageMs())));
    }
    String since = time(subscription.sinceMs());
    if (subscription.key().hasSelector()) {
      String hidden =
          "no message that the selector matches has arrived since %s; others are unknown";
      return WhyStep.unknown(WhyStep.LAST_MESSAGE, hidden.formatted(since), facts.node());
    }
    String before =
        interest.hasMessage()
            ? "; the latest has arrived at " + time(interest.lastMessageMs())
            : "; this node has received none before";
    String none = "no message of %s has arrived since the subscription at %s%s";
    return problem(WhyStep.LAST_MESSAGE, none.formatted(interest.key(), since, before));
  }

  /** Returns whether messages of exactly this topic have arrived since the subscription. */
  private boolean hasExact(SubscriptionFigures subscription) {
    return facts.topics().stream()
        .filter(each -> each.key().topic().equals(topic))
        .anyMatch(each -> hasNewMessage(subscription, each));
  }

  private static boolean hasNewMessage(SubscriptionFigures subscription, TopicFigures interest) {
    return interest.hasMessage() && interest.lastMessageMs() >= subscription.sinceMs();
  }

  /**
   * Returns an interest without a selector that has received messages since the subscription, or
   * null.
   */
  private TopicFigures unfiltered(SubscriptionFigures subscription) {
    return facts.topics().stream()
        .filter(each -> !each.key().hasSelector() && subscription.key().hasSelector())
        .filter(each -> hasNewMessage(subscription, each))
        .findFirst()
        .orElse(null);
  }

  private WhyStep filter(SubscriptionFigures subscription, TopicFigures interest) {
    if (!subscription.key().hasSelector()) {
      return ok(WhyStep.FILTER, "the subscription has no selector");
    }
    String selector = subscription.key().selector();
    if (hasNewMessage(subscription, interest)) {
      return ok(WhyStep.FILTER, "messages match the selector " + selector);
    }
    if (unfiltered(subscription) == null) {
      String hidden = "the broker applies the selector %s, and this node cannot see other messages";
      return WhyStep.unknown(WhyStep.FILTER, hidden.formatted(selector), facts.node());
    }
    String none = "no message matches the selector %s since the subscription at %s";
    return problem(WhyStep.FILTER, none.formatted(selector, time(subscription.sinceMs())));
  }

  private WhyStep position(WhyClient client, SubscriptionFigures subscription) {
    long bytes = client.pendingBytes();
    String detail =
        "the client was sent messages up to offset %d, is %d behind, and has not accepted %d B"
            .formatted(subscription.position(), subscription.lag(), bytes);
    boolean behind = subscription.lag() > 0 && bytes > 0 || bytes > NORMAL_PENDING_BYTES;
    return behind ? problem(WhyStep.POSITION, detail) : ok(WhyStep.POSITION, detail);
  }

  private WhyStep gaps(SubscriptionFigures subscription) {
    return subscription.gaps() == 0
        ? ok(WhyStep.GAPS, "no gap was sent to the subscription")
        : problem(
            WhyStep.GAPS,
            (subscription.gaps() == 1 ? "1 gap was" : subscription.gaps() + " gaps were")
                + " sent to the subscription since its start: messages were lost");
  }

  private WhyStep ok(String step, String detail) {
    return WhyStep.ok(step, detail, facts.node());
  }

  private WhyStep problem(String step, String detail) {
    return WhyStep.problem(step, detail, facts.node());
  }

  private static String time(long ms) {
    return Instant.ofEpochMilli(ms).toString();
  }
}
