package io.sluice.gateway.config;

import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.TopicTemplate;
import java.util.List;

/**
 * Validation rules between several settings, and semantic rules for single settings. Used once, by
 * one thread. Does not read certificates and keys: the packages that use these files check them.
 */
public final class ConfigRules {
  private static final List<Setting<?>> TRACING_ONLY =
      List.of(
          AdminSettings.TRACING_HEADERS_FILE,
          AdminSettings.TRACING_SAMPLE_RATIO,
          AdminSettings.TRACING_SERVICE_NAME,
          AdminSettings.TRACING_QUEUE);

  private static final String RECEIVER = "http://collector:4318/v1/traces";
  private static final String ALERTS_PAGE = "https://alerts.example.com/";

  private final ConfigFindings findings;
  private final Config config;

  private ConfigRules(ConfigFindings findings) {
    this.findings = findings;
    this.config = findings.config();
  }

  /** Reports all violations of rules. */
  public static void check(ConfigFindings findings) {
    ConfigRules common = new ConfigRules(findings);
    common.checkFrameRate();
    common.checkPatterns();
    common.checkTracing();
    common.checkAlerts();
    TopicCompression.check(findings);
    new ServerRules(findings).check();
    new SourceRules(findings).check();
  }

  /** Checks the burst: a client that reconnects renews all its subscriptions at once. */
  private void checkFrameRate() {
    long burst = 10L * config.get(LimitSettings.FRAME_RATE);
    int subscriptions = config.get(LimitSettings.SUBSCRIPTIONS);
    if (burst > 0 && burst < subscriptions) {
      findings.report(
          "allows a burst of "
              + burst
              + " frames, fewer than limits.subscriptions ("
              + subscriptions
              + ")",
          "a tenth of limits.subscriptions or more, or 0",
          LimitSettings.FRAME_RATE,
          LimitSettings.SUBSCRIPTIONS);
    }
  }

  private void checkTracing() {
    String endpoint = config.get(AdminSettings.TRACING_ENDPOINT);
    if (endpoint.isEmpty()) {
      for (Setting<?> setting : TRACING_ONLY) {
        findings.reportNoEffect(setting, AdminSettings.TRACING_ENDPOINT, urlSuchAs(RECEIVER));
      }
    } else {
      checkHttp(AdminSettings.TRACING_ENDPOINT, RECEIVER);
    }
  }

  private void checkAlerts() {
    String url = config.get(AdminSettings.ALERTS_URL);
    if (!url.isEmpty() && !ServiceUrl.isPage(url)) {
      findings.report(
          ValueText.quote(ServiceUrl.masked(url))
              + " is not an http or https URL without user info",
          urlSuchAs(ALERTS_PAGE),
          AdminSettings.ALERTS_URL);
    }
  }

  private void checkHttp(Setting<String> setting, String example) {
    String url = config.get(setting);
    if (!ServiceUrl.isHttp(url)) {
      findings.report(
          ValueText.quote(ServiceUrl.masked(url))
              + " is not an http or https URL without user info and fragment",
          urlSuchAs(example),
          setting);
    }
  }

  private static String urlSuchAs(String example) {
    return "a URL such as " + example;
  }

  private void checkPatterns() {
    checkTopics(TopicSettings.SUBSCRIBE_TOPICS);
    checkTopics(TopicSettings.BROKER_SELECTORS);
    checkTopics(TopicSettings.TOPICS_DURABLE);
    checkTopics(TopicSettings.TOPICS_SHARED);
    checkTopics(TopicSettings.PUBLISH_TOPICS);
    checkTopics(TopicSettings.QUEUES_SEND);
    checkTopics(TopicSettings.QUEUES_CONSUME);
    checkTopics(TopicSettings.QUEUES_BROWSE);
    checkTopics(TopicSettings.PRESENCE_TOPICS);
    checkDeadLetter();
    checkTopics(HistorySettings.WARM);
    checkTopics(BrokerSettings.DURABLE);
    checkTopics(BrokerSettings.INTERNAL_NAMES);
    checkTopics(NatsSettings.TOPICS);
    checkTopics(LinkSettings.TOPICS);
    checkPermissions();
    checkKeyProperties();
  }

  private void checkTopics(Setting<List<String>> setting) {
    config.get(setting).forEach(topic -> checkTopic(topic, setting));
  }

  /** Checks a pattern: an invalid one would match nothing, and all clients would be rejected. */
  private void checkTopic(String topic, Setting<?> setting) {
    report(TopicSettings.topicRules(config).checkPattern(topic), setting);
  }

  private void checkDeadLetter() {
    String queue = config.get(TopicSettings.QUEUES_DEAD_LETTER);
    if (!queue.isEmpty()) {
      report(TopicSettings.topicRules(config).checkTopic(queue), TopicSettings.QUEUES_DEAD_LETTER);
    }
  }

  private void checkPermissions() {
    TopicRules rules = TopicSettings.topicRules(config);
    for (PermissionRule rule : config.get(TopicSettings.PERMISSION_RULES)) {
      rule.patterns().values().stream()
          .flatMap(List::stream)
          .map(pattern -> TopicTemplate.problem(pattern, rules))
          .forEach(problem -> report(problem, TopicSettings.PERMISSION_RULES));
    }
  }

  private void checkKeyProperties() {
    for (String rule : config.get(HistorySettings.KEY_PROPERTIES)) {
      int equals = rule.indexOf('=');
      if (equals < 1 || equals == rule.length() - 1) {
        findings.report(
            ValueText.quote(rule) + " is not of the form pattern=property",
            "a rule such as orders.>=orderId",
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
          "levels joined by dots, * for one level, > at the end for all remaining levels",
          setting);
    }
  }
}
