package io.sluice.gateway.broker.jms;

/** Names that clients may use at the broker, apart from their permissions. Any thread. */
public interface ServedNames {
  /** Returns whether clients may consume and browse a queue of this name. */
  boolean isServedQueue(String queue);

  /** Returns whether clients may have subscriptions of a topic or pattern. */
  boolean isServedTopic(String topic);
}
