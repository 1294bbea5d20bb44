package io.sluice.gateway.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.TimeoutSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class ShortHistoryTest {
  @Test
  void shouldAcceptTheDefaults() {
    assertThat(ShortHistory.of(Config.defaults(), ShortHistory.ASSUMED_RATE)).isEmpty();
  }

  @Test
  void shouldNameLimitsBelowTheAbsenceOfAClient() {
    Config config =
        Config.defaults()
            .with(TimeoutSettings.IDLE, Duration.ofSeconds(70))
            .with(HistorySettings.MESSAGES, 1_000)
            .with(HistorySettings.AGE, Duration.ofSeconds(60));

    assertThat(ShortHistory.of(config, 40))
        .extracting(ShortHistory::toString)
        .containsExactly(
            "history.messages: 1000 messages cover 25 s at 40.0/s, but a client that lags resumes"
                + " after up to 100 s",
            "history.age: 60 s are covered, but a client that lags resumes after up to 100 s");
    assertThat(ShortHistory.of(config, 10)).hasSize(1);
  }
}
