package io.sluice.gateway.config;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.List;

/** Validation rules for the topics of several sources. Used once, by one thread. */
final class SourceRules {
  private static final String ALL = ">";

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
    checkDurable();
    if (sources.size() > 1) {
      if (sources.stream().anyMatch(each -> each.key() == NatsSettings.SERVERS)) {
        checkNats();
      }
      checkWithin(HistorySettings.WARM);
    }
  }

  private void checkDurable() {
    if (last.key() == BrokerSettings.URL) {
      for (String pattern : config.get(BrokerSettings.DURABLE)) {
        sources.stream()
            .filter(each -> each != last && each.overlaps(pattern))
            .forEach(each -> reportOverlap(BrokerSettings.DURABLE, pattern, each));
      }
    } else if (!config.get(BrokerSettings.DURABLE).isEmpty()) {
      findings.report(
          "has no effect: only JMS brokers have durable patterns", "", BrokerSettings.DURABLE);
    }
  }

  private void reportOverlap(Setting<?> setting, String pattern, ConfiguredSource other) {
    findings.report(
        ValueText.quote(pattern) + " has topics of " + other.key().key(),
        "patterns of topics of one source",
        setting);
  }

  private void checkNats() {
    for (String pattern : config.get(NatsSettings.TOPICS)) {
      for (ConfiguredSource other : sources) {
        boolean isRest = last.key() == NatsSettings.SERVERS && pattern.equals(ALL);
        if (other.key() == KafkaSettings.SERVERS && !isRest && other.overlaps(pattern)) {
          reportOverlap(NatsSettings.TOPICS, pattern, other);
        }
        if (other.key() == BrokerSettings.URL && pattern.equals(ALL)) {
          findings.report(
              "leaves no topic to " + other.key().key(),
              "patterns of the topics of NATS",
              NatsSettings.TOPICS);
        }
      }
    }
  }

  private void checkWithin(Setting<List<String>> setting) {
    for (String pattern : config.get(setting)) {
      for (ConfiguredSource source : sources) {
        if (source == last || TopicPattern.anyCovers(source.topics(), pattern)) {
          break;
        }
        if (source.overlaps(pattern)) {
          reportOverlap(setting, pattern, source);
        }
      }
    }
  }
}
