package io.sluice.gateway.config;

import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.TopicTemplate;
import java.util.List;
import java.util.stream.Stream;

/**
 * Rules that hold between several settings, or beyond the form of one. Reads no certificate and no
 * key: the packages that use such files check them. Used once, by one thread.
 */
public final class ConfigRules {
  private final ConfigFindings findings;
  private final Config config;

  private ConfigRules(ConfigFindings findings) {
    this.findings = findings;
    this.config = findings.config();
  }

  /** Reports every rule that a configuration breaks. */
  public static void check(ConfigFindings findings) {
    ConfigRules common = new ConfigRules(findings);
    common.checkFrameRate();
    common.checkPatterns();
    new ServerRules(findings).check();
    new AuthRules(findings).check();
    new BrokerRules(findings).check();
    new ClusterRules(findings).check();
  }

  /** A client that comes back subscribes to all that it had at once. */
  private void checkFrameRate() {
    long atOnce = 10L * config.get(LimitSettings.FRAME_RATE);
    int subscriptions = config.get(LimitSettings.SUBSCRIPTIONS);
    if (atOnce > 0 && atOnce < subscriptions) {
      findings.report(
          "lets "
              + atOnce
              + " frames come at once, fewer than limits.subscriptions, "
              + subscriptions,
          "a tenth of limits.subscriptions or more, or 0",
          LimitSettings.FRAME_RATE,
          LimitSettings.SUBSCRIPTIONS);
    }
  }

  private void checkPatterns() {
    checkTopics(TopicSettings.SUBSCRIBE_TOPICS);
    checkTopics(TopicSettings.PUBLISH_TOPICS);
    checkTopics(HistorySettings.WARM);
    checkTopics(BrokerSettings.DURABLE);
    checkPermissions();
    checkKeyProperties();
  }

  private void checkTopics(Setting<List<String>> setting) {
    config.get(setting).forEach(topic -> checkTopic(topic, setting));
  }

  /** A pattern that isn't one would match nothing, and lock every client out. */
  private void checkTopic(String topic, Setting<?> setting) {
    report(TopicSettings.topicRules(config).checkPattern(topic), setting);
  }

  private void checkPermissions() {
    TopicRules rules = TopicSettings.topicRules(config);
    for (PermissionRule rule : config.get(TopicSettings.PERMISSION_RULES)) {
      Stream.concat(rule.subscribe().stream(), rule.publish().stream())
          .map(pattern -> TopicTemplate.problem(pattern, rules))
          .forEach(problem -> report(problem, TopicSettings.PERMISSION_RULES));
    }
  }

  private void checkKeyProperties() {
    for (String rule : config.get(HistorySettings.KEY_PROPERTIES)) {
      int equals = rule.indexOf('=');
      if (equals < 1 || equals == rule.length() - 1) {
        findings.report(
            ValueText.quote(rule) + " is no pattern=property",
            "such as orders.>=orderId",
            HistorySettings.KEY_PROPERTIES);
      } else {
        checkTopic(rule.substring(0, equals), HistorySettings.KEY_PROPERTIES);
      }
    }
  }

  private void report(TopicRules.Problem problem, Setting<?> setting) {
    if (problem != null) {
      findings.report(
          problem.message(),
          "levels joined by dots, * for any one level, > at the end for any rest",
          setting);
    }
  }
}
