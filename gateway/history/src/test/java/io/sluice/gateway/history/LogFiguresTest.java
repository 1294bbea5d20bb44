package io.sluice.gateway.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Figures of a log with gap markers. */
final class LogFiguresTest {
  private static final Channel CHANNEL = new Channel(1, "a", null);
  private static final int MESSAGES = 4;

  private final Exposition exposition = new Exposition("figures-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final TopicLog log =
      new TopicLog(
          1,
          null,
          LogLimits.of(Config.defaults().with(HistorySettings.MESSAGES, MESSAGES)),
          new LogMemory(1 << 24, metrics));

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  private void append(long nowMs) {
    log.append(
        new Message("a", nowMs, 1, PayloadKind.TEXT, new byte[0], null, null), CHANNEL, nowMs);
  }

  @Test
  void shouldCountMessagesOnly() {
    log.appendGap(GapReason.BROKER_LOST, 1);
    log.appendGap(GapReason.OVERLOAD, 2);
    assertThat(log.figures().logMessages()).isZero();
    append(3);
    log.appendGap(GapReason.OVERLOAD, 4);
    LogFigures figures = log.figures();
    assertThat(figures.logMessages()).isEqualTo(1);
    assertThat(figures.oldestMs()).isEqualTo(3);
    assertThat(figures.gaps()).isEqualTo(3);
  }

  @Test
  void shouldForgetEvictedGaps() {
    append(1);
    log.appendGap(GapReason.OVERLOAD, 2);
    for (int i = 0; i < MESSAGES; i++) {
      append(3 + i);
    }
    LogFigures figures = log.figures();
    assertThat(figures.logMessages()).isEqualTo(MESSAGES);
    assertThat(figures.oldestMs()).isEqualTo(3);
  }
}
