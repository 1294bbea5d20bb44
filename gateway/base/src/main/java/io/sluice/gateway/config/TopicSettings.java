package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.duration;
import static io.sluice.gateway.config.Setting.flag;
import static io.sluice.gateway.config.Setting.list;
import static io.sluice.gateway.config.Setting.rules;
import static io.sluice.gateway.config.Setting.text;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.protocol.TopicRules;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/**
 * Configuration keys of served topics and queues, and of permissions. Stateless, for any thread.
 */
public final class TopicSettings {
  /** Maximum number of characters of a topic or pattern. */
  private static final int MAX_LENGTH = 255;

  /** Maximum number of levels of a topic or pattern. */
  private static final int MAX_DEPTH = 16;

  public static final Setting<List<String>> SUBSCRIBE_TOPICS =
      list("subscribe.topics", List.of(">"), "Patterns of topics that clients may subscribe to.");
  public static final Setting<Boolean> SELECTORS =
      flag(
          "topics.selectors",
          true,
          "Accept subscriptions with a JMS selector (where), which may read all properties.");
  public static final Setting<List<String>> BROKER_SELECTORS =
      list(
          "topics.broker-selectors",
          List.of(),
          "Patterns of topics whose selectors the broker evaluates, with a consumer each: for"
              + " topics of which clients select a small part.");
  private static final String EMPTY_TOPICS =
      " Empty: the topics granted by permissions.rules; none without rules.";

  public static final Setting<List<String>> TOPICS_DURABLE =
      list(
          "topics.durable",
          List.of(),
          "Patterns of topics to which clients may have durable subscriptions." + EMPTY_TOPICS);
  public static final Setting<List<String>> TOPICS_SHARED =
      list(
          "topics.shared",
          List.of(),
          "Patterns of topics whose messages clients may share." + EMPTY_TOPICS);
  public static final Setting<Duration> DURABLE_EXPIRY =
      duration(
          "topics.durable-expiry",
          ofDays(7),
          ofSeconds(10),
          ofDays(3650),
          "Time without consumers after which a node deletes a client's durable subscription with"
              + " its messages. Time in which no node reaches the broker does not count. Artemis"
              + " only.");

  public static final Setting<List<String>> PRESENCE_TOPICS =
      list(
          "topics.presence",
          List.of(),
          "Patterns of topics whose members clients may enter and count; the permission presence"
              + " shows the members. Empty: no presence.");
  public static final Setting<Duration> PRESENCE_GRACE =
      duration(
          "topics.presence-grace",
          ofSeconds(10),
          Duration.ZERO,
          ofMinutes(10),
          "Time for which a client with a key remains a member after a lost connection.");

  public static final Setting<List<String>> TOPIC_COMPRESSION =
      list(
          "topics.compression",
          List.of(),
          "Compression by topic: pattern=alone compresses without reference to the previous"
              + " message. Set it for secret topics if a pattern that clients may subscribe to also"
              + " matches topics to which others publish.");

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
          "Rules that grant topics and queues to clients within subscribe.topics,"
              + " publish.topics, queues.* and topics.*, and compress: alone; see"
              + " docs/reference/security.md. Without rules and permissions.claim, each client may"
              + " use all that the node serves.");
  public static final Setting<String> PERMISSION_CLAIM =
      text(
          "permissions.claim",
          "",
          "Claim with further granted patterns, {\"subscribe\": […], \"publish\": […], \"send\":"
              + " […], \"consume\": […], \"browse\": […], \"durable\": […], \"shared\": […],"
              + " \"presence\": […]}; empty: none.");

  private static final String EMPTY =
      " Empty: the queues granted by permissions.rules; none without rules.";

  public static final Setting<List<String>> QUEUES_SEND =
      list("queues.send", List.of(), "Patterns of queues that clients may publish to." + EMPTY);
  public static final Setting<List<String>> QUEUES_CONSUME =
      list("queues.consume", List.of(), "Patterns of queues that clients may consume." + EMPTY);
  public static final Setting<List<String>> QUEUES_BROWSE =
      list("queues.browse", List.of(), "Patterns of queues that clients may browse." + EMPTY);
  public static final Setting<Duration> QUEUES_ACK_TIMEOUT =
      duration(
          "queues.ack-timeout",
          ofMinutes(5),
          ofSeconds(1),
          ofHours(24),
          "Time after which a delivered message that the client has not settled is released.");
  public static final Setting<String> QUEUES_DEAD_LETTER =
      text(
          "queues.dead-letter",
          "",
          "Queue of messages that clients reject; empty: DLQ on Artemis, ActiveMQ.DLQ on other"
              + " brokers.");

  /** Keys of this section, in the order of the documentation. */
  static final List<Setting<?>> ALL =
      List.of(
          SUBSCRIBE_TOPICS,
          SELECTORS,
          BROKER_SELECTORS,
          TOPICS_DURABLE,
          TOPICS_SHARED,
          DURABLE_EXPIRY,
          PRESENCE_TOPICS,
          PRESENCE_GRACE,
          TOPIC_COMPRESSION,
          PUBLISH_TOPICS,
          PUBLISH_PERSISTENT,
          PERMISSION_RULES,
          PERMISSION_CLAIM,
          QUEUES_SEND,
          QUEUES_CONSUME,
          QUEUES_BROWSE,
          QUEUES_ACK_TIMEOUT,
          QUEUES_DEAD_LETTER);

  private TopicSettings() {}

  /** Returns whether rules or a claim grant permissions, rather than all that the node serves. */
  public static boolean hasPermissions(Config config) {
    return !config.get(PERMISSION_RULES).isEmpty() || !config.get(PERMISSION_CLAIM).isEmpty();
  }

  /**
   * Returns the rules for all topics and patterns. Levels cannot contain characters of the broker's
   * wildcards and separators; otherwise a client could compose a wildcard.
   */
  public static TopicRules topicRules(Config config) {
    return new TopicRules(
        MAX_LENGTH, MAX_DEPTH, String.join("", BrokerSettings.wildcards(config).values()));
  }

  /**
   * Returns whether clients may subscribe to an interest of a {@linkplain InterestKey#name name}.
   */
  public static Predicate<String> served(Config config) {
    TopicRules rules = topicRules(config);
    List<String> patterns = config.get(SUBSCRIBE_TOPICS);
    boolean selectors = config.get(SELECTORS);
    return name -> {
      InterestKey key = InterestKey.ofName(name);
      return (selectors || !key.hasSelector())
          && rules.checkPattern(key.topic()) == null
          && TopicPattern.anyCovers(patterns, key.topic());
    };
  }

  /**
   * Returns the patterns of the queues or topics with which clients may do something. Without
   * configured patterns only permission rules decide; without rules nothing is allowed.
   */
  public static List<String> allowed(Config config, Setting<List<String>> setting) {
    List<String> patterns = config.get(setting);
    return patterns.isEmpty() && hasPermissions(config) ? List.of(">") : patterns;
  }
}
