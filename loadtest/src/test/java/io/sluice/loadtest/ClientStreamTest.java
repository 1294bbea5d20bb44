package io.sluice.loadtest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClientStreamTest {
  private static final long START = 1_763_700_000_000_000_000L;
  private static final int SECONDS = 10;
  private static final Span SPAN =
      Span.after(START, Duration.ofSeconds(5), Duration.ofSeconds(SECONDS));
  private static final long INSIDE = SPAN.fromUnixNanos() + Duration.ofSeconds(1).toNanos();

  private final RunTime time = new RunTime(SPAN);
  private final ClientStream stream = new ClientStream(3, "stocks.7", time, new Progress());

  @Test
  void shouldReportLatencySinceSending() {
    for (int micros = 1; micros <= 10_000; micros++) {
      stream.onText(message(INSIDE - micros * 1000L, micros), INSIDE);
    }

    ClientResult result = stream.result(0, SECONDS);

    assertThat(result.sinceDue().count()).isEqualTo(10_000);
    assertThat(result.sinceDue().mean()).isCloseTo(5000.5, withinPercentage(0.1));
    assertThat(result.sinceDue().p99()).isCloseTo(9_900, withinPercentage(0.1));
    assertThat(result.complete()).isTrue();
  }

  @Test
  void shouldReportLatencySinceTheBroker() {
    stream.onText(message(INSIDE - 9_000_000, 1, INSIDE / 1_000_000 - 4), INSIDE);

    assertThat(stream.result(0, SECONDS).sinceDue().max()).isCloseTo(9000, withinPercentage(0.1));
    assertThat(stream.result(0, SECONDS).sinceBroker().max())
        .isCloseTo(4000, withinPercentage(0.1));
  }

  @Test
  void shouldRecordLatenciesOnlyWithinSpan() {
    stream.onText(message(START, 1), SPAN.fromUnixNanos() - 1);
    stream.onText(message(START, 2), SPAN.fromUnixNanos());
    stream.onText(message(START, 3), SPAN.toUnixNanos() - 1);
    stream.onText(message(START, 4), SPAN.toUnixNanos());

    assertThat(stream.result(0, SECONDS).sinceDue().count()).isEqualTo(2);
    assertThat(stream.result(0, SECONDS).received()).isEqualTo(4);
    assertThat(stream.result(1, SECONDS).sinceDue().count()).isEqualTo(1);
  }

  @Test
  void shouldRecordNoLatencyBeforeStart() {
    ClientStream early = new ClientStream(0, "stocks.0", new RunTime(), new Progress());

    assertThat(early.onText(message(INSIDE, 1), INSIDE)).isFalse();
    assertThat(early.isReceiving()).isTrue();
    assertThat(early.result(0, SECONDS)).isNull();
  }

  @Test
  void shouldEndWithFirstMessageAfterSpan() {
    assertThat(stream.onText(message(START, 1), SPAN.toUnixNanos() - 1)).isFalse();
    assertThat(stream.onText("{\"type\":\"pong\"}", SPAN.toUnixNanos())).isFalse();
    assertThat(stream.onText(message(START, 2), SPAN.toUnixNanos())).isTrue();
  }

  @Test
  void shouldDistinguishGapsAndErrorsFromMessages() {
    stream.onText(message(INSIDE, 1), INSIDE);
    stream.onText("{\"type\":\"gap\",\"topic\":\"stocks.7\",\"reason\":\"overload\"}", INSIDE);
    stream.onText("{\"type\":\"error\",\"code\":\"forbidden\"}", INSIDE);

    assertThat(stream.gapUnixNanos()).containsExactly(INSIDE);
    assertThat(stream.errorFrame()).contains("forbidden");
    assertThat(stream.result(0, SECONDS).complete()).isFalse();
  }

  @Test
  void shouldCountLostDuplicateAndReorderedMessages() {
    for (long number : new long[] {1, 2, 5, 5, 4}) {
      stream.onText(message(INSIDE, number), INSIDE);
    }

    ClientResult result = stream.result(0, SECONDS);
    assertThat(result.lost()).isEqualTo(1);
    assertThat(result.repeated()).isEqualTo(1);
    assertThat(result.reordered()).isEqualTo(1);
  }

  @Test
  void shouldCountUnreadableMessages() {
    stream.onText("{\"type\":\"message\",\"payload\":\"hello\"}", INSIDE);
    stream.onBinary("?".getBytes(UTF_8), INSIDE);

    assertThat(stream.unreadable()).isEqualTo(2);
  }

  @Test
  void shouldCountMessagesWithNegativeLatency() {
    stream.onText(message(INSIDE + 5_000_000, 1), INSIDE);

    assertThat(stream.result(0, SECONDS).sinceDue().early()).isEqualTo(1);
    assertThat(stream.result(0, SECONDS).sinceDue().leastMicros()).isEqualTo(-5000);
    assertThat(stream.result(0, SECONDS).sinceDue().max()).isZero();
  }

  @Test
  void shouldTolerateExtremeTimestampsAndClockSteps() {
    stream.onText(message(0, 1), INSIDE);
    stream.onText(message(Long.MAX_VALUE, 2), INSIDE - 500_000_000);

    assertThat(stream.result(0, SECONDS).sinceDue().count()).isEqualTo(2);
  }

  @Test
  void shouldRecordPayloadSizes() {
    stream.onText(message(INSIDE, 1), INSIDE);

    assertThat(stream.minBytes()).isEqualTo(("TS=" + INSIDE + " SEQ=1 ").length());
    assertThat(stream.maxBytes()).isEqualTo(stream.minBytes());
  }

  private static String message(long unixNanos, long sequence) {
    return message(unixNanos, sequence, START / 1_000_000);
  }

  private static String message(long unixNanos, long sequence, long brokerMillis) {
    return "{\"type\":\"message\",\"topic\":\"stocks.7\",\"offset\":1,\"id\":\"0\",\"time\":"
        + brokerMillis
        + ",\"payload\":\"TS="
        + unixNanos
        + " SEQ="
        + sequence
        + " \"}";
  }
}
