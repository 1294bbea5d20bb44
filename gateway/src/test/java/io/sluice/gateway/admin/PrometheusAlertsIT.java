package io.sluice.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.TestProgram;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.TestBroker;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Alerts of a real Prometheus whose rules always fire. */
@Timeout(300)
final class PrometheusAlertsIT {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final String RULES =
      """
      groups:
        - name: test
          interval: 1s
          rules:
            - alert: SluiceGone
              expr: vector(1)
              labels: {severity: critical}
              annotations: {summary: No Sluice node reports metrics.}
            - alert: Watchdog
              expr: vector(1)
      """;

  private final int port = FreePorts.some(1).get(0);

  @TempDir private Path folder;

  private Process prometheus(String program) throws IOException {
    Files.writeString(folder.resolve("rules.yml"), RULES);
    Path config = Files.writeString(folder.resolve("prometheus.yml"), "rule_files: [rules.yml]\n");
    return new ProcessBuilder(
            program,
            "--config.file=" + config,
            "--storage.tsdb.path=" + folder.resolve("data"),
            "--web.listen-address=127.0.0.1:" + port)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("prometheus.log").toFile())
        .start();
  }

  private static JsonObject alerts(TestNode node) {
    return new JsonObject(AdminOpenApi.checked(node.admin("/alerts")).body());
  }

  @Test
  void shouldReturnTheFiringAlertsOfSluice() throws Exception {
    Optional<String> program = TestProgram.provide("prometheus");
    assumeTrue(program.isPresent(), "no Prometheus");
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url())
                    .with(AdminSettings.ALERTS_URL, "http://127.0.0.1:" + port)
                    .with(AdminSettings.ALERTS_CACHED, Duration.ofMillis(100)))) {
      assertThat(alerts(node).getString("unknown")).contains("refused");
      Process prometheus = prometheus(program.get());
      try {
        await().atMost(LONG).until(() -> alerts(node).getInteger("total") > 0);
        JsonObject read = alerts(node);
        assertThat(read.containsKey("unknown")).isFalse();
        assertThat(read.getJsonArray("alerts")).hasSize(1);
        JsonObject alert = read.getJsonArray("alerts").getJsonObject(0);
        assertThat(alert.getString("name")).isEqualTo("SluiceGone");
        assertThat(alert.getString("severity")).isEqualTo("critical");
        assertThat(alert.getString("summary")).isEqualTo("No Sluice node reports metrics.");
        assertThat(alert.getLong("since")).isPositive();
      } finally {
        prometheus.destroy();
        prometheus.waitFor();
      }
    }
  }
}
