package io.sluice.gateway.feed;

import io.sluice.gateway.protocol.TopicRules;

/**
 * Topics and rate of a feed. Immutable, for any thread.
 *
 * @param prefix prefix of the topics' names, followed by their numbers
 * @param topics number of topics, at least 1
 * @param rate messages per second and topic, above 0
 */
public record FeedPlan(String prefix, int topics, double rate) {
  private static final TopicRules TOPICS = new TopicRules(Integer.MAX_VALUE, Integer.MAX_VALUE);

  /** Validates all values. */
  public FeedPlan {
    if (topics < 1) {
      throw new IllegalArgumentException("number of topics " + topics + " is below 1");
    }
    if (!(rate > 0 && rate * topics <= 10_000_000)) {
      throw new IllegalArgumentException(
          "rate "
              + rate
              + "/s per topic is outside the limits: above 0, and at most 10,000,000/s for all"
              + " topics");
    }
    TopicRules.Problem problem = TOPICS.checkTopic(prefix + 0);
    if (problem != null) {
      throw new IllegalArgumentException(problem.message());
    }
  }

  /** Returns the name of a topic. */
  String topic(int number) {
    return prefix + number;
  }
}
