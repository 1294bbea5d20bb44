package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.flag;
import static io.sluice.gateway.config.Setting.list;
import static io.sluice.gateway.config.Setting.rules;
import static io.sluice.gateway.config.Setting.text;

import io.sluice.gateway.protocol.TopicRules;
import java.util.List;

/** Configuration keys of topics: those that a node serves, and permissions. Stateless. */
public final class TopicSettings {
  public static final Setting<List<String>> SUBSCRIBE_TOPICS =
      list(
          "subscribe.topics",
          List.of(">"),
          "Patterns of the topics that clients may subscribe to.");
  public static final Setting<List<String>> PUBLISH_TOPICS =
      list(
          "publish.topics",
          List.of(),
          "Patterns of the topics that clients may publish to. Empty: those that permissions.rules"
              + " grant, and without rules none.");
  public static final Setting<Boolean> PUBLISH_PERSISTENT =
      flag("publish.persistent", true, "Publish with the JMS delivery mode PERSISTENT.");

  public static final Setting<List<PermissionRule>> PERMISSION_RULES =
      rules(
          "permissions.rules",
          "Rules that permit topics to clients, within subscribe.topics and publish.topics; see"
              + " SECURITY.md. Without rules and permissions.claim, each client may use all topics that"
              + " the node serves.");
  public static final Setting<String> PERMISSION_CLAIM =
      text(
          "permissions.claim",
          "",
          "Claim of the credential that holds patterns of its own, {\"subscribe\": […],"
              + " \"publish\": […]}, which come on top of the rules'; empty: none is looked at.");

  /** Keys of this section, in the order of the documentation. */
  static final List<Setting<?>> ALL =
      List.of(
          SUBSCRIBE_TOPICS, PUBLISH_TOPICS, PUBLISH_PERSISTENT, PERMISSION_RULES, PERMISSION_CLAIM);

  private TopicSettings() {}

  /**
   * Returns the rules for all topics and patterns. Each character of the broker's own wildcards and
   * separators is excluded from levels. Otherwise a client could compose one of them.
   */
  public static TopicRules topicRules(Config config) {
    return new TopicRules(
        config.get(LimitSettings.TOPIC_LENGTH),
        config.get(LimitSettings.TOPIC_DEPTH),
        String.join("", config.get(BrokerSettings.WILDCARDS).values()));
  }
}
