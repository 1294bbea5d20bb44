package io.sluice.gateway.broker.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.KafkaSettings;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Tests of configured properties and servers that are not usable. */
final class KafkaOptionsTest {
  private static KafkaOptions options(Map<String, String> properties) {
    return KafkaOptions.of(
        SourceScene.config("localhost:1", List.of("a"), List.of())
            .with(KafkaSettings.PROPERTIES, properties));
  }

  private static String problem(String name, String value) {
    return options(Map.of(name, value)).problem();
  }

  @Test
  void shouldReportUnknownNamesWithTheNearestOne() {
    assertThat(options(Map.of("sasl.mechansim", "PLAIN", "foo.bar", "1")).unknownProperties())
        .containsExactly(
            Map.entry("foo.bar", "is no property of a Kafka client"),
            Map.entry(
                "sasl.mechansim",
                "is no property of a Kafka client; did you mean sasl.mechanism?"));
    Map<String, String> known =
        Map.of(
            "security.protocol", "SSL", // common
            "fetch.min.bytes", "1", // of a consumer
            "compression.type", "lz4", // of a producer
            "config.providers", "file",
            "config.providers.file.class", "x.Y");
    assertThat(options(known).unknownProperties()).isEmpty();
  }

  @Test
  void shouldLeaveNamesOfPluginsToThem() {
    Map<String, String> plugin =
        Map.of(
            "sasl.login.callback.handler.class", "x.Y",
            "vault.address", "https://vault.example.com",
            "ssl.trustore.location", "/ca.pem");
    assertThat(options(plugin).unknownProperties()).containsOnlyKeys("ssl.trustore.location");
  }

  @Test
  void shouldReportInvalidValues() {
    assertThat(problem("fetch.max.bytes", "1000000")).isNull();
    assertThat(problem("security.protocol", "SASL_SSL")).isNull();
    assertThat(problem("fetch.max.bytes", "many")).contains("fetch.max.bytes");
    assertThat(problem("compression.type", "rar")).contains("compression.type");
  }

  @Test
  void shouldFixWhatTheContractRequires() {
    KafkaOptions options = options(Map.of("isolation.level", "read_uncommitted", "acks", "0"));
    assertThat(options.consumer("x")).containsEntry("isolation.level", "read_committed");
    assertThat(options.producer()).containsEntry("acks", "all");
  }

  @Test
  void shouldHaveMemoryForAllUnconfirmedPublishes() {
    KafkaOptions options = options(Map.of());
    assertThat((long) options.producer().get("buffer.memory"))
        .as("a batch of each publish")
        .isGreaterThan(options.publishBytes() + options.publishes() * 16_384L);
  }

  @Test
  void shouldStateThatNoServerIsFound() {
    try (SourceScene scene = SourceScene.start("host.invalid:9092", List.of("a"), List.of())) {
      Awaitility.await()
          .until(() -> scene.source.state().startsWith("not connected: No resolvable bootstrap"));
    }
  }
}
