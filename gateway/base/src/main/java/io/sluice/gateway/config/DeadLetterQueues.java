package io.sluice.gateway.config;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.List;
import java.util.Set;

/**
 * Queues of messages that were not processed, which wildcards do not include: one who sends there
 * could forge failed messages of others, one who consumes could read them. Immutable, for any
 * thread.
 *
 * @param configured the node's dead-letter queue; empty for the broker's
 */
public record DeadLetterQueues(String configured) {
  /** Names at brokers. Classic's are internal to it, except for the operators' queue. */
  private static final Set<String> OF_BROKERS = Set.of("DLQ", "ExpiryQueue", "ActiveMQ.DLQ");

  /** Reads the queues of a configuration. */
  public static DeadLetterQueues of(Config config) {
    return new DeadLetterQueues(config.get(TopicSettings.QUEUES_DEAD_LETTER));
  }

  /** Returns whether patterns include a queue, which one of them must name if it is of these. */
  public boolean permit(List<String> patterns, String queue) {
    return queue.equals(configured) || OF_BROKERS.contains(queue)
        ? patterns.contains(queue)
        : TopicPattern.anyCovers(patterns, queue);
  }
}
