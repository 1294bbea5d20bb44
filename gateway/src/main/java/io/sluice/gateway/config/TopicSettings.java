package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.flag;
import static io.sluice.gateway.config.Setting.list;
import static io.sluice.gateway.config.Setting.rules;
import static io.sluice.gateway.config.Setting.text;

import io.sluice.gateway.protocol.TopicRules;
import java.util.List;

/** Configuration keys of served topics and of permissions. Stateless, for any thread. */
public final class TopicSettings {
  public static final Setting<List<String>> SUBSCRIBE_TOPICS =
      list("subscribe.topics", List.of(">"), "Patterns of topics that clients may subscribe to.");
  public static final Setting<Boolean> SELECTORS =
      flag(
          "topics.selectors",
          true,
          "Accept subscriptions with a JMS selector (where), which the broker evaluates for each"
              + " message. A selector reads all properties of a message, also those that are not"
              + " forwarded.");
  public static final Setting<List<String>> PUBLISH_TOPICS =
      list(
          "publish.topics",
          List.of(),
          "Patterns of topics that clients may publish to. Empty: the topics granted by"
              + " permissions.rules; none without rules.");
  public static final Setting<Boolean> PUBLISH_PERSISTENT =
      flag("publish.persistent", true, "Publish with the JMS delivery mode PERSISTENT.");

  public static final Setting<List<PermissionRule>> PERMISSION_RULES =
      rules(
          "permissions.rules",
          "Rules that grant topics to clients, within subscribe.topics and publish.topics; see"
              + " SECURITY.md. Without rules and permissions.claim, each client may use all topics"
              + " that the node serves.");
  public static final Setting<String> PERMISSION_CLAIM =
      text(
          "permissions.claim",
          "",
          "Claim of the credential with patterns that are granted in addition to the rules,"
              + " {\"subscribe\": […], \"publish\": […]}; empty: no claim is read.");

  /** Keys of this section, in the order of the documentation. */
  static final List<Setting<?>> ALL =
      List.of(
          SUBSCRIBE_TOPICS,
          SELECTORS,
          PUBLISH_TOPICS,
          PUBLISH_PERSISTENT,
          PERMISSION_RULES,
          PERMISSION_CLAIM);

  private TopicSettings() {}

  /**
   * Returns the rules for all topics and patterns. Levels cannot contain characters of the broker's
   * wildcards and separators; otherwise a client could compose a wildcard.
   */
  public static TopicRules topicRules(Config config) {
    return new TopicRules(
        config.get(LimitSettings.TOPIC_LENGTH),
        config.get(LimitSettings.TOPIC_DEPTH),
        String.join("", config.get(BrokerSettings.WILDCARDS).values()));
  }
}
