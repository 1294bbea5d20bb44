package io.sluice.gateway.config;

import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.protocol.TopicRules;
import java.util.List;

/** Validation rules for the topics of several sources. Used once, by one thread. */
final class SourceRules {
  private static final String OVERLAP = " has topics of ";

  /** Keys of a JMS broker, besides those of its providers. */
  private static final List<Setting<?>> OF_JMS =
      List.of(
          BrokerSettings.PROVIDER,
          BrokerSettings.USER,
          BrokerSettings.PASSWORD,
          BrokerSettings.USER_FILE,
          BrokerSettings.PASSWORD_FILE,
          BrokerSettings.CONNECTIONS,
          BrokerSettings.CANARY_PREFIX,
          BrokerSettings.IDENTITY_PROPERTY,
          BrokerSettings.DURABLE);

  private final ConfigFindings findings;
  private final Config config;
  private final List<ConfiguredSource> sources;
  private final ConfiguredSource last;

  SourceRules(ConfigFindings findings) {
    this.findings = findings;
    this.config = findings.config();
    this.sources = ConfiguredSource.of(config);
    this.last = sources.get(sources.size() - 1);
  }

  void check() {
    checkBroker();
    checkWarm();
    if (sources.size() > 1) {
      for (int index = 0; index < sources.size(); index++) {
        checkPatterns(index);
      }
      checkWithin(HistorySettings.WARM);
      checkOfJms(TopicSettings.TOPICS_DURABLE);
      checkOfJms(TopicSettings.TOPICS_SHARED);
    }
  }

  private void checkBroker() {
    if (last.key() != BrokerSettings.URL) {
      OF_JMS.forEach(
          key -> findings.reportNoEffect(key, BrokerSettings.URL, "the URL of a JMS broker"));
      return;
    }
    for (String pattern : config.get(BrokerSettings.DURABLE)) {
      sources.stream()
          .filter(each -> each != last && overlap(each, pattern))
          .forEach(each -> report(BrokerSettings.DURABLE, pattern, OVERLAP, each));
    }
  }

  // Kafka alone has no pattern of several topics.
  private void checkWarm() {
    config.get(HistorySettings.WARM).stream()
        .filter(each -> last.key() == KafkaSettings.SERVERS)
        .filter(each -> !TopicPattern.anyCovers(last.topics(), each))
        .forEach(each -> report(HistorySettings.WARM, each, " is not within one topic of ", last));
  }

  private void report(Setting<?> setting, String pattern, String what, ConfiguredSource other) {
    findings.report(
        ValueText.quote(pattern) + what + other.key().key(),
        "patterns of topics of one source that has them",
        setting);
  }

  /** Checks the patterns of a source, which precede those of the sources after it. */
  private void checkPatterns(int index) {
    ConfiguredSource source = sources.get(index);
    Setting<?> patterns = patterns(source);
    if (patterns == null) {
      return;
    }
    for (String pattern : source.topics()) {
      if (!pattern.equals(">")) {
        sources.subList(0, index).stream()
            .filter(each -> overlap(each, pattern))
            .forEach(each -> report(patterns, pattern, OVERLAP, each));
      } else if (source != last) {
        findings.report(
            "leaves no topic to " + last.key().key(), "patterns of topics of one source", patterns);
      }
    }
  }

  /** Returns the key of a source's patterns; null if it has none. */
  private Setting<?> patterns(ConfiguredSource source) {
    if (source.key() == NatsSettings.SERVERS) {
      return NatsSettings.TOPICS;
    }
    if (source.key() != LinkSettings.ROOTS) {
      return null;
    }
    boolean isCommon = source.topics().equals(config.get(LinkSettings.TOPICS));
    return isCommon ? LinkSettings.TOPICS : LinkSettings.ROOTS;
  }

  /** Returns whether a pattern has topics of a source; other rules report malformed patterns. */
  private boolean overlap(ConfiguredSource source, String pattern) {
    TopicRules rules = TopicSettings.topicRules(config);
    return rules.checkPattern(pattern) == null
        && source.topics().stream()
            .filter(each -> rules.checkPattern(each) == null)
            .anyMatch(each -> TopicPattern.intersection(each, pattern) != null);
  }

  private void checkOfJms(Setting<List<String>> setting) {
    for (String pattern : config.get(setting)) {
      sources.stream()
          .filter(each -> each != last && TopicPattern.anyCovers(each.topics(), pattern))
          .forEach(each -> report(setting, pattern, " has only topics of ", each));
    }
  }

  private void checkWithin(Setting<List<String>> setting) {
    for (String pattern : config.get(setting)) {
      for (ConfiguredSource source : sources) {
        if (source == last || TopicPattern.anyCovers(source.topics(), pattern)) {
          break;
        }
        if (overlap(source, pattern)) {
          report(setting, pattern, OVERLAP, source);
        }
      }
    }
  }
}
