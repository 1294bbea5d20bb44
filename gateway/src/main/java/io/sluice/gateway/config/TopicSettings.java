package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.flag;
import static io.sluice.gateway.config.Setting.list;

import java.util.List;

/** Configuration keys of the topics that a node serves. Constants only. */
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

  /** Keys of this section, in the order of the documentation. */
  static final List<Setting<?>> ALL = List.of(SUBSCRIBE_TOPICS, PUBLISH_TOPICS, PUBLISH_PERSISTENT);

  private TopicSettings() {}
}
