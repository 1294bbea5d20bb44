package io.sluice.gateway.broker.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.nats.client.Options;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.testkit.LoggedEvents;
import io.sluice.testkit.NatsServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Tests the log of a source, to which sources of other classes write as well. */
@Isolated
final class NatsLogTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(40);

  @TempDir Path folder;

  @Test
  void shouldLogAReconnectOncePerCause() throws Exception {
    Optional<String> program = NatsServer.provide();
    assumeThat(program).as("nats-server, see above").isPresent();
    try (NatsServer server =
            NatsServer.start(program.get(), folder, "authorization { token: secret }");
        LoggedEvents logged = LoggedEvents.of(NatsSource.class, Level.INFO)) {
      NatsScene scene =
          new NatsScene(
              server,
              config -> config.with(BrokerSettings.RECONNECT_MAX, Duration.ofMillis(20)),
              new Options.Builder().token("secret".toCharArray()));
      try {
        await()
            .atMost(TIMEOUT)
            .until(
                () -> scene.gauge("sluice_broker_reconnect_attempts_total{source=\"nats\"}") > 1);
        assertThat(logged.names()).containsExactly("broker.unreachable", "broker.reconnecting");
        assertThat(logged.pairs("broker.reconnecting")).contains("times=\"1\"");
      } finally {
        scene.close();
      }
    }
  }
}
