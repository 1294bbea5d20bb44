package io.sluice.gateway.config;

import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.TopicTemplate;
import java.util.List;
import java.util.stream.Stream;

/** What must hold of topics and patterns wherever they are named. Used once, by one thread. */
final class PatternRules {
  private final Findings findings;
  private final Config config;

  PatternRules(Findings findings) {
    this.findings = findings;
    this.config = findings.config();
  }

  void check() {
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
    tell(TopicSyntax.of(config).checkPattern(topic), setting);
  }

  private void checkPermissions() {
    TopicRules rules = TopicSyntax.of(config);
    for (PermissionRule rule : config.get(PermissionSettings.RULES)) {
      Stream.concat(rule.subscribe().stream(), rule.publish().stream())
          .map(pattern -> TopicTemplate.problem(pattern, rules))
          .forEach(problem -> tell(problem, PermissionSettings.RULES));
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

  private void tell(TopicRules.Problem problem, Setting<?> setting) {
    if (problem != null) {
      findings.report(
          problem.message(),
          "levels joined by dots, * for any one level, > at the end for any rest",
          setting);
    }
  }
}
