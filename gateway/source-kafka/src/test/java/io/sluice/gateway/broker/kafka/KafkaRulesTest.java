package io.sluice.gateway.broker.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.FoundProblems;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the rules for the settings of Kafka. */
final class KafkaRulesTest {
  private static final String SERVED =
      "auth.anonymous: true\nkafka.servers: [kafka:9092]\nkafka.topics: [news]\n";

  private static List<String> problems(String settings) {
    return FoundProblems.of(settings, KafkaRules::check);
  }

  @Test
  void shouldAcceptServersTopicsAndProperties() {
    assertThat(
            problems(
                SERVED
                    + "kafka.keyed-topics: [orders, stock.eu]\n"
                    + "kafka.properties: {security.protocol: SSL, isolation.level: read_committed}"))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"kafka", "kafka:port", "http://kafka:9092", "a b:1"})
  void shouldReportInvalidServers(String server) {
    assertThat(problems("kafka.servers: ['" + server + "']\nkafka.topics: [news]"))
        .contains("kafka.servers: \"" + server + "\" is not a host and a port");
  }

  @Test
  void shouldReportKeysWithoutServers() {
    assertThat(problems("kafka.topics: [news]\nkafka.properties: {a: b}"))
        .contains(
            "kafka.topics: has no effect without kafka.servers, which is not set",
            "kafka.properties: has no effect without kafka.servers, which is not set");
  }

  @Test
  void shouldReportKeysWithoutEffect() {
    assertThat(problems("kafka.servers: [kafka:9092]"))
        .contains(
            "kafka.servers: has no effect without kafka.topics, kafka.keyed-topics and"
                + " kafka.partition-topics");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b", "a..b", "ä", ".a"})
  void shouldReportNamesThatAreNoTopics(String topic) {
    assertThat(problems("kafka.servers: [k:1]\nkafka.keyed-topics: ['" + topic + "']"))
        .contains("kafka.keyed-topics: \"" + topic + "\" is not a usable name of a Kafka topic");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kafka.keyed-topics: [orders]\nkafka.topics: [orders]",
        "kafka.keyed-topics: [orders]\nkafka.topics: [orders.eu]",
        "kafka.keyed-topics: [orders, orders.eu]",
        "kafka.keyed-topics: [orders]\nkafka.partition-topics: [orders.eu]"
      })
  void shouldReportTopicsThatBelongToTwoKafkaTopics(String topics) {
    assertThat(problems("kafka.servers: [k:1]\n" + topics))
        .anyMatch(each -> each.endsWith("may also be a topic of \"orders\" in kafka.keyed-topics"));
  }

  @Test
  void shouldReportTopicsThatMayBePartitions() {
    assertThat(
            problems("kafka.servers: [k:1]\nkafka.partition-topics: [a]\nkafka.topics: [a.0, a]"))
        .contains(
            "kafka.topics: \"a.0\" may also be a topic of \"a\" in kafka.partition-topics",
            "kafka.topics: \"a\" may also be a topic of \"a\" in kafka.partition-topics");
  }

  @Test
  void shouldReportFilesOfPropertiesThatAreAbsent() {
    assertThat(
            problems(
                SERVED
                    + "kafka.properties:"
                    + " {security.protocol: SSL, ssl.truststore.location: /absent.pem}"))
        .containsExactly("kafka.properties: \"/absent.pem\" is not a readable file");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sasl.mechanism: PLAIN | \"sasl.mechanism\" has no effect with security.protocol PLAINTEXT",
        "sasl.jaas.config: x, security.protocol: SSL"
            + " | \"sasl.jaas.config\" has no effect with security.protocol SSL",
        "ssl.truststore.type: PEM, security.protocol: sasl_plaintext"
            + " | \"ssl.truststore.type\" has no effect with security.protocol SASL_PLAINTEXT",
      })
  void shouldReportPropertiesThatTheProtocolIgnores(String properties, String problem) {
    assertThat(problems(SERVED + "kafka.properties: {" + properties + '}'))
        .containsExactly("kafka.properties: " + problem);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "security.protocol: SASL_SSL, sasl.mechanism: PLAIN, ssl.truststore.type: PEM",
        "security.protocol: '$file:/etc/kafka:protocol', sasl.mechanism: PLAIN",
        "security.protocol: SASL_PLAINTEXT, sasl.mechanism: OAUTHBEARER, ssl.truststore.type: PEM"
      })
  void shouldAcceptPropertiesThatTheProtocolMayUse(String properties) {
    assertThat(problems(SERVED + "kafka.properties: {" + properties + '}')).isEmpty();
  }

  private static List<String> registryProblems(String settings) {
    return problems(SERVED + "kafka.registry: {" + settings + '}');
  }

  @Test
  void shouldAcceptARegistry() {
    assertThat(registryProblems("url: 'https://r/api/', topics: [news], secret: 'a:b'")).isEmpty();
    assertThat(registryProblems("url: 'http://r:8081', topics: [news], secret: token")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "url: 'r:80', topics: [news] | url: \"r:80\" is not a URL of http or https without user info,"
            + " query and fragment",
        "url: 'http://u:p@r', topics: [news] | url: \"http://***@r\" is not a URL of http or https"
            + " without user info, query and fragment",
        "url: 'http://r' | url: has no effect without kafka.registry.topics",
        "url: 'http://r', topics: [other]"
            + " | topics: \"other\" is not a Kafka topic of this node",
        "url: 'http://r', topics: [news, news] | topics: \"news\" occurs twice",
        "url: 'http://r', topics: [news], secret: 'a:' | secret: has no user or no password",
        "url: 'http://r', topics: [news], secret-file: /absent"
            + " | secret-file: /absent does not exist",
        "topics: [news] | topics: has no effect without kafka.registry.url, which is not set"
      })
  void shouldReportAnUnusableRegistry(String settings, String problem) {
    assertThat(registryProblems(settings)).containsExactly("kafka.registry." + problem);
  }

  @Test
  void shouldReportASecretTogetherWithAFile(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("secret"), "a:b");
    assertThat(
            registryProblems(
                "url: 'http://r', topics: [news], secret: 'a:b', secret-file: " + file))
        .containsExactly("kafka.registry.secret-file: is set together with kafka.registry.secret");
  }

  @ParameterizedTest
  @CsvSource({
    "group.id, without a consumer group",
    "acks, must be stored once",
    "isolation.level, aborted transactions",
    "value.deserializer, unchanged",
    "bootstrap.servers, kafka.servers",
    "client.id, broker.client-id",
    "max.request.size, limits.broker-message-bytes",
    "schema.registry.url, kafka.registry",
    "value.subject.name.strategy, TopicNameStrategy"
  })
  void shouldReportPropertiesThatAreNotConfigurable(String name, String reason) {
    assertThat(problems(SERVED + "kafka.properties: {" + name + ": x}"))
        .singleElement()
        .asString()
        .startsWith("kafka.properties: \"" + name + "\" is not configurable: ")
        .contains(reason);
  }
}
