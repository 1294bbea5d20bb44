package io.sluice.gateway.config;

import io.sluice.gateway.protocol.TopicRules;

/** What a configuration lets be a topic. */
public final class TopicSyntax {
  private TopicSyntax() {}

  /**
   * The rules for all topics and patterns, whoever names them. Each single character of the
   * broker's own spelling is kept out of levels: then nothing that a client writes can become one
   * of its wildcards or separators, not even together with what stands next to it.
   */
  public static TopicRules of(Config config) {
    return new TopicRules(
        config.get(LimitSettings.TOPIC_LENGTH),
        config.get(LimitSettings.TOPIC_DEPTH),
        String.join("", config.get(BrokerSettings.WILDCARDS).values()));
  }
}
