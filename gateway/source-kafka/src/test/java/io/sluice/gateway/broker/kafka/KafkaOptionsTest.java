package io.sluice.gateway.broker.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.KafkaSettings;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Tests of configured properties and servers that are not usable. */
final class KafkaOptionsTest {
  private static String problem(String name, String value) {
    return KafkaOptions.of(
            SourceScene.config("localhost:1", List.of("a"), List.of())
                .with(KafkaSettings.PROPERTIES, Map.of(name, value)))
        .problem();
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
    KafkaOptions options =
        KafkaOptions.of(
            SourceScene.config("localhost:1", List.of("a"), List.of())
                .with(
                    KafkaSettings.PROPERTIES,
                    Map.of("isolation.level", "read_uncommitted", "acks", "0")));
    assertThat(options.consumer("x")).containsEntry("isolation.level", "read_committed");
    assertThat(options.producer()).containsEntry("acks", "all");
  }

  @Test
  void shouldStateThatNoServerIsFound() {
    try (SourceScene scene = SourceScene.start("host.invalid:9092", List.of("a"), List.of())) {
      Awaitility.await()
          .until(() -> scene.source.state().startsWith("not connected: No resolvable bootstrap"));
    }
  }
}
