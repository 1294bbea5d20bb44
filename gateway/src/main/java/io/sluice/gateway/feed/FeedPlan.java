package io.sluice.gateway.feed;

import io.sluice.gateway.protocol.TopicRules;

/**
 * What a feed publishes. Immutable.
 *
 * @param prefix of the topics' names; their numbers follow
 * @param topics how many, at least 1
 * @param rate messages a second and topic, above 0
 */
public record FeedPlan(String prefix, int topics, double rate) {
  private static final TopicRules TOPICS = new TopicRules(Integer.MAX_VALUE, Integer.MAX_VALUE);

  /** Checks all of it. */
  public FeedPlan {
    if (topics < 1) {
      throw new IllegalArgumentException("a feed needs at least 1 topic, not " + topics);
    }
    if (!(rate > 0 && rate * topics <= 10_000_000)) {
      throw new IllegalArgumentException(
          "a rate of " + rate + " is not above 0 and at most 10,000,000 for all topics together");
    }
    TopicRules.Problem problem = TOPICS.checkTopic(prefix + 0);
    if (problem != null) {
      throw new IllegalArgumentException(problem.message());
    }
  }

  String topic(int number) {
    return prefix + number;
  }
}
