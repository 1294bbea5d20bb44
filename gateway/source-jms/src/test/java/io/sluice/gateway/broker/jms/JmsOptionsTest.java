package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class JmsOptionsTest {
  private static long intervalMs(Config config) {
    return JmsOptions.of(config).canaryIntervalMs();
  }

  private static Config timeout(Duration timeout) {
    return Config.defaults().with(BrokerSettings.CANARY_TIMEOUT, timeout);
  }

  @Test
  void shouldSendSeveralCanariesWithinTheTimeout() {
    assertThat(intervalMs(Config.defaults())).isEqualTo(2_000);
    assertThat(intervalMs(timeout(Duration.ofMinutes(5)))).isEqualTo(2_000);
    assertThat(intervalMs(timeout(Duration.ofSeconds(2)))).isEqualTo(500);
  }

  @Test
  void shouldSendNoCanariesWithoutAPrefix() {
    assertThat(intervalMs(Config.defaults().with(BrokerSettings.CANARY_PREFIX, ""))).isZero();
  }
}
