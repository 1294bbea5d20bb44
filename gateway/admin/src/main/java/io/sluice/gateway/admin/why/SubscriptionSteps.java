package io.sluice.gateway.admin.why;

import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.query.ConsumerState;
import io.sluice.gateway.query.SubscriptionFigures;
import io.sluice.gateway.query.TopicFigures;
import java.util.Comparator;
import java.util.List;

/** Steps of one subscription of a client of this node, in order. Confined to one thread. */
final class SubscriptionSteps {
  /** Bytes that may wait for a client for a moment, without a problem. */
  static final long NORMAL_PENDING_BYTES = 64 * 1024;

  /** Age of an unanswered ping that is a problem. */
  static final long UNANSWERED_MS = 5_000;

  /** Time without a message after which a topic is silent, which is a problem. */
  static final long SILENCE_MS = 60_000;

  private final String topic;
  private final WhySteps.Facts facts;
  private final WhyStep.Source source;
  private final SubscriptionFigures subscription;
  private final WhyClient client;

  /** Interest of the subscription; null if the node has none. */
  private final TopicFigures interest;

  SubscriptionSteps(
      String topic,
      WhySteps.Facts facts,
      WhyStep.Source source,
      SubscriptionFigures subscription,
      WhyClient client) {
    this.topic = topic;
    this.facts = facts;
    this.source = source;
    this.subscription = subscription;
    this.client = client;
    this.interest =
        facts.topics().stream()
            .filter(each -> each.key().equals(subscription.key()))
            .findFirst()
            .orElse(null);
  }

  /** Returns all steps, or only that of the consumer if it has a problem. */
  List<WhyStep> all() {
    WhyStep consumer = consumer();
    return consumer.isProblem()
        ? List.of(consumer)
        : List.of(consumer, lastMessage(), filter(), position(), gaps());
  }

  private WhyStep consumer() {
    if (interest == null) {
      String none = "the node has no consumer of %s at the broker; broker: %s";
      return source.problem(
          WhyStep.CONSUMER, none.formatted(subscription.key(), facts.brokerState()));
    }
    if (interest.consumer() != ConsumerState.ACTIVE) {
      String state = "the consumer of %s at the broker is %s; broker: %s";
      return source.problem(
          WhyStep.CONSUMER,
          state.formatted(interest.key(), interest.consumer().word(), facts.brokerState())
              + (facts.waiting().isEmpty() ? "" : "; " + facts.waiting()));
    }
    if (!facts.waiting().isEmpty()) {
      String stuck = "the consumer of %s is active, but %s";
      return source.problem(WhyStep.CONSUMER, stuck.formatted(interest.key(), facts.waiting()));
    }
    String active = "the consumer of %s is active";
    String waits = active + ", but the subscription is not confirmed to the client yet";
    return subscription.admitted()
        ? source.ok(WhyStep.CONSUMER, active.formatted(interest.key()))
        : source.problem(WhyStep.CONSUMER, waits.formatted(interest.key()));
  }

  private WhyStep lastMessage() {
    TopicFigures evidence = evidence();
    if (evidence == null) {
      return withoutMessage();
    }
    if (isSilent(evidence)) {
      String silent = "no message of %s has arrived for %s, the latest at %s";
      return source.problem(
          WhyStep.LAST_MESSAGE,
          silent.formatted(
              evidence.key(),
              AgeText.of(ageMs(evidence)),
              AgeText.ago(evidence.lastMessageMs(), facts.nowMs())));
    }
    String latest = AgeText.ago(evidence.lastMessageMs(), facts.nowMs());
    if (!evidence.key().topic().equals(topic) && TopicPattern.isPattern(evidence.key().topic())) {
      String any =
          "messages of %s have arrived, the latest at %s; it is unknown whether any is of \"%s\"";
      return source.unknown(WhyStep.LAST_MESSAGE, any.formatted(evidence.key(), latest, topic));
    }
    return source.ok(
        WhyStep.LAST_MESSAGE,
        "the latest message of %s arrived at %s".formatted(evidence.key(), latest));
  }

  private WhyStep withoutMessage() {
    String since = AgeText.ago(subscription.sinceMs(), facts.nowMs());
    TopicFigures all = unfiltered();
    if (all == null) {
      String hidden =
          "no message that the selector matches has arrived since %s; others are unknown";
      return source.unknown(WhyStep.LAST_MESSAGE, hidden.formatted(since));
    }
    String before =
        all.hasMessage()
            ? "; the latest arrived at " + AgeText.ago(all.lastMessageMs(), facts.nowMs())
            : "; this node has received none before";
    String none = "no message of %s has arrived since the subscription at %s%s";
    return source.problem(WhyStep.LAST_MESSAGE, none.formatted(all.key(), since, before));
  }

  /**
   * Returns the interest with all messages of the subscription's topic or pattern; null if the
   * broker selects them.
   */
  private TopicFigures unfiltered() {
    if (!subscription.key().hasSelector()) {
      return interest;
    }
    return facts.topics().stream()
        .filter(each -> !each.key().hasSelector())
        .filter(each -> TopicPattern.covers(each.key().topic(), subscription.key().topic()))
        .findFirst()
        .orElse(null);
  }

  /**
   * Returns the interest with most of the topic's messages: one of exactly the topic, else that
   * with the latest message; null if none has a message since the subscription.
   */
  private TopicFigures evidence() {
    return facts.topics().stream()
        .filter(each -> each == interest || isUnfiltered(each))
        .filter(this::hasNewMessage)
        .max(
            Comparator.comparing((TopicFigures each) -> each.key().topic().equals(topic))
                .thenComparing(TopicFigures::lastMessageMs))
        .orElse(null);
  }

  /** Returns whether an interest has all messages of the topic. */
  private boolean isUnfiltered(TopicFigures each) {
    boolean exact = each.key().topic().equals(topic);
    return !each.key().hasSelector() && (exact || subscription.key().hasSelector());
  }

  private boolean hasNewMessage(TopicFigures each) {
    return each.hasMessage() && each.lastMessageMs() >= subscription.sinceMs();
  }

  private long ageMs(TopicFigures each) {
    return facts.nowMs() - each.lastMessageMs();
  }

  private boolean isSilent(TopicFigures each) {
    return ageMs(each) >= SILENCE_MS;
  }

  private WhyStep filter() {
    if (!subscription.key().hasSelector()) {
      return source.ok(WhyStep.FILTER, "the subscription has no selector");
    }
    String selector = subscription.key().selector();
    boolean others =
        facts.topics().stream()
            .anyMatch(each -> isUnfiltered(each) && hasNewMessage(each) && !isSilent(each));
    if (!hasNewMessage(interest)) {
      String none = "no message matches the selector %s since the subscription at %s";
      String hidden =
          unfiltered() == null
              ? "the broker applies the selector %s, and this node cannot see other messages"
              : "no message has arrived lately to which the selector %s could apply";
      return others
          ? source.problem(
              WhyStep.FILTER,
              none.formatted(selector, AgeText.ago(subscription.sinceMs(), facts.nowMs())))
          : source.unknown(WhyStep.FILTER, hidden.formatted(selector));
    }
    String latest = AgeText.ago(interest.lastMessageMs(), facts.nowMs());
    return others && isSilent(interest)
        ? source.problem(
            WhyStep.FILTER,
            "the latest message that matches the selector %s arrived at %s"
                .formatted(selector, latest))
        : source.ok(
            WhyStep.FILTER,
            "messages match the selector %s, the latest at %s".formatted(selector, latest));
  }

  private WhyStep position() {
    long pendingBytes = client.pendingBytes();
    boolean behind =
        subscription.lag() > 0 && pendingBytes > 0 || pendingBytes > NORMAL_PENDING_BYTES;
    boolean unanswered = client.unansweredPingMs() >= UNANSWERED_MS;
    String sent =
        "the client was sent messages up to offset %d, is %d behind, and has not accepted %d B"
            .formatted(subscription.position(), subscription.lag(), pendingBytes);
    String detail =
        (unanswered ? sent + "; it has not answered the ping of " + ping() : sent) + identity();
    return behind || unanswered
        ? source.problem(WhyStep.POSITION, detail)
        : source.ok(WhyStep.POSITION, detail);
  }

  private String identity() {
    return facts.identityProblem().isEmpty() || interest.numbered()
        ? ""
        : "; its position is not recovered on another node, nor those of other nodes here: "
            + facts.identityProblem();
  }

  private String ping() {
    return AgeText.ago(facts.nowMs() - client.unansweredPingMs(), facts.nowMs());
  }

  private WhyStep gaps() {
    if (subscription.gaps() == 0) {
      return source.ok(WhyStep.GAPS, "no gap was sent to the subscription");
    }
    String sent =
        "%s sent to the subscription, the latest at %s: messages were lost"
            .formatted(
                subscription.gaps() == 1 ? "1 gap was" : subscription.gaps() + " gaps were",
                AgeText.ago(subscription.lastGapMs(), facts.nowMs()));
    boolean followed =
        !subscription.atGap()
            && interest.hasMessage()
            && interest.lastMessageMs() >= subscription.lastGapMs();
    return followed
        ? source.past(WhyStep.GAPS, sent + "; messages have followed")
        : source.problem(WhyStep.GAPS, sent + "; none has followed");
  }
}
