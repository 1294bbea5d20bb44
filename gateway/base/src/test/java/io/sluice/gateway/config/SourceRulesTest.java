package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules for the topics of several sources. */
final class SourceRulesTest {
  private static final String KAFKA =
      "kafka: {servers: ['k:1'], topics: [news], keyed-topics: [orders]}\n";
  private static final String NATS = "nats.servers: ['nats://n:1']\n";
  private static final String JMS = "broker.url: tcp://a:1\n";

  private static ConfigDraft draft(String settings) {
    return ConfigFile.parse(
        "f", "auth.anonymous: true\n" + settings, Map.<String, String>of()::get);
  }

  private static List<String> problems(String settings) {
    return FoundProblems.of(draft(settings)).stream()
        .map(problem -> problem.key() + ": " + problem.what())
        .toList();
  }

  private static List<ConfiguredSource> sources(String settings) {
    return ConfiguredSource.of(new ConfigFindings(draft(settings)).config());
  }

  private static List<String> names(String settings) {
    return sources(settings).stream().map(ConfiguredSource::name).toList();
  }

  @ParameterizedTest
  @CsvSource({
    "news, kafka",
    "orders.eu.7, kafka",
    "ledger.3, kafka",
    "prices.x, nats",
    "ledger, jms"
  })
  void shouldNameTheSourceOfATopic(String topic, String name) {
    String all =
        JMS + KAFKA + "kafka.partition-topics: [ledger]\n" + NATS + "nats.topics: [prices.>]";
    assertThat(ConfiguredSource.nameOf(sources(all), topic)).isEqualTo(name);
  }

  @Test
  void shouldOrderSourcesByTheirTopics() {
    assertThat(names(JMS + NATS + KAFKA)).containsExactly("kafka", "nats", "jms");
    assertThat(names(NATS + KAFKA)).containsExactly("kafka", "nats");
    assertThat(names(KAFKA)).containsExactly("kafka");
    assertThat(names("")).containsExactly("jms");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        JMS + KAFKA,
        NATS + KAFKA,
        JMS + KAFKA + NATS + "nats.topics: [prices.>]",
        JMS + KAFKA + "history.warm: [orders.>, news, stocks.>]",
      })
  void shouldAcceptSeparateTopics(String settings) {
    assertThat(problems(settings)).isEmpty();
  }

  @Test
  void shouldReportThatNatsLeavesNoTopicToJms() {
    assertThat(problems(JMS + NATS)).contains("nats.topics: leaves no topic to broker.url");
  }

  @ParameterizedTest
  @CsvSource({
    "nats.topics, 'nats.topics: [orders.eu.>]', orders.eu.>",
    "nats.topics, 'nats.topics: [\"*\"]', *",
    "broker.durable, 'broker.durable: [\"*.eu\"]', *.eu",
    "history.warm, 'history.warm: [\">\"]', >",
  })
  void shouldReportPatternsOfSeveralSources(String key, String setting, String pattern) {
    String nats = key.startsWith("nats") ? NATS : "";
    assertThat(problems(JMS + KAFKA + nats + setting))
        .contains("%s: \"%s\" has topics of kafka.servers".formatted(key, pattern));
  }

  @ParameterizedTest
  @ValueSource(strings = {"topics.durable", "topics.shared"})
  void shouldReportSubscriptionsThatOnlyJmsBrokersHave(String key) {
    assertThat(problems(JMS + KAFKA + key + ": ['>', 'orders.eu.>']"))
        .containsExactly(key + ": \"orders.eu.>\" has only topics of kafka.servers");
  }

  @Test
  void shouldReportWarmTopicsThatKafkaDoesNotServe() {
    assertThat(problems(KAFKA + "history.warm: ['>', other, news, orders.>, orders.eu]"))
        .containsExactly(
            "history.warm: \">\" is not within one topic of kafka.servers",
            "history.warm: \"other\" is not within one topic of kafka.servers");
    assertThat(problems(NATS + KAFKA + "history.warm: [other]")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "user: u",
        "password: p",
        "provider: classic",
        "provider: amqp",
        "canary.prefix: c",
        "durable: [a]",
      })
  void shouldReportKeysThatOnlyJmsBrokersHave(String setting) {
    String key = "broker." + setting.substring(0, setting.indexOf(':'));
    for (String source : List.of(KAFKA, NATS)) {
      assertThat(problems(source + "broker." + setting))
          .contains(key + ": has no effect without broker.url, which is not set");
    }
    assertThat(problems(JMS + KAFKA + "broker.user: u\nbroker.password: p")).isEmpty();
    assertThat(problems(KAFKA + "broker.linger: 1s\nbroker.forward-properties: [a]")).isEmpty();
  }
}
