package io.sluice.loadtest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SummaryTest {
  private static final long START = 1_763_700_000_000_000_000L;
  private static final Span SPAN = Span.after(START, Duration.ofSeconds(5), Duration.ofSeconds(10));
  private static final long INSIDE = START + Duration.ofSeconds(6).toNanos();

  private final ClientStream stream = new ClientStream(SPAN, true);

  @Test
  void shouldHaveQuantilesOfAllMeasuredClients() {
    ClientStream second = new ClientStream(SPAN, true);
    for (int micros = 1; micros <= 10_000; micros++) {
      (micros <= 5_000 ? stream : second).onText(message(INSIDE - micros * 1000L, micros), INSIDE);
    }

    Summary summary = Summary.of(List.of(stream, second));

    assertThat(summary.samples()).isEqualTo(10_000);
    assertThat(summary.mean()).isCloseTo(5000.5, withinPercentage(0.1));
    assertThat(summary.p50()).isCloseTo(5_000, withinPercentage(0.1));
    assertThat(summary.p95()).isCloseTo(9_500, withinPercentage(0.1));
    assertThat(summary.p99()).isCloseTo(9_900, withinPercentage(0.1));
    assertThat(summary.p999()).isCloseTo(9_990, withinPercentage(0.1));
    assertThat(summary.max()).isCloseTo(10_000, withinPercentage(0.1));
    assertThat(summary.worstP99()).isCloseTo(9_950, withinPercentage(0.1));
  }

  @Test
  void shouldTakeLatenciesOnlyWithinTheSpan() {
    stream.onText(message(START, 1), SPAN.fromUnixNanos() - 1);
    stream.onText(message(START, 2), SPAN.fromUnixNanos());
    stream.onText(message(START, 3), SPAN.toUnixNanos() - 1);
    stream.onText(message(START, 4), SPAN.toUnixNanos());

    Summary summary = Summary.of(List.of(stream));
    assertThat(summary.samples()).isEqualTo(2);
    assertThat(summary.received()).isEqualTo(4);
    assertThat(stream.complete()).isTrue();
  }

  @Test
  void shouldEndWithTheFirstMessagePastTheSpan() {
    assertThat(stream.onText(message(START, 1), SPAN.toUnixNanos() - 1)).isFalse();
    assertThat(stream.onText("{\"type\":\"pong\"}", SPAN.toUnixNanos())).isFalse();
    assertThat(stream.onText(message(START, 2), SPAN.toUnixNanos())).isTrue();
  }

  @Test
  void shouldCheckNumbersOfClientsThatAreNotMeasured() {
    ClientStream unmeasured = new ClientStream(SPAN, false);
    unmeasured.onText(message(START, 1), INSIDE);
    unmeasured.onText(message(START, 4), INSIDE);
    unmeasured.onText(message(START, 4), INSIDE);

    Summary summary = Summary.of(List.of(unmeasured));

    assertThat(summary.measuredClients()).isZero();
    assertThat(summary.samples()).isZero();
    assertThat(summary.lost()).isEqualTo(2);
    assertThat(summary.duplicates()).isEqualTo(1);
    assertThat(summary.expected()).isEqualTo(4);
    assertThat(summary.lossRatio()).isCloseTo(0.5, within(1e-9));
    assertThat(unmeasured.complete()).isFalse();
  }

  @Test
  void shouldNotBeCompleteWithoutAMessage() {
    assertThat(stream.complete()).isFalse();
  }

  @Test
  void shouldNotBeCompleteAfterAGap() {
    stream.onText(message(START, 1), INSIDE);
    assertThat(stream.complete()).isTrue();

    stream.onText("{\"type\":\"gap\",\"topic\":\"stocks.7\",\"reason\":\"overload\"}", INSIDE);

    assertThat(stream.complete()).isFalse();
    assertThat(Summary.of(List.of(stream)).gaps()).isEqualTo(1);
  }

  @Test
  void shouldCountMessagesThatItCannotRead() {
    stream.onText("{\"type\":\"message\",\"payload\":\"hello\"}", INSIDE);
    stream.onBinary("?".getBytes(UTF_8), INSIDE);

    assertThat(Summary.of(List.of(stream)).unreadable()).isEqualTo(2);
    assertThat(stream.complete()).isFalse();
  }

  @Test
  void shouldCountMessagesFromTheFuture() {
    stream.onText(message(INSIDE + 5_000_000, 1), INSIDE);

    Summary summary = Summary.of(List.of(stream));
    assertThat(summary.skewed()).isEqualTo(1);
    assertThat(summary.max()).isZero();
  }

  @Test
  void shouldSurviveAbsurdTimes() {
    stream.onText(message(0, 1), INSIDE);
    stream.onText(message(Long.MAX_VALUE, 2), INSIDE);

    assertThat(Summary.of(List.of(stream)).samples()).isEqualTo(2);
  }

  @Test
  void shouldSayNothingFalseWithoutClients() {
    Summary summary = Summary.of(List.of());

    assertThat(summary.lossRatio()).isZero();
    assertThat(summary.toText()).contains("0 received").doesNotContain("NaN");
  }

  private static String message(long unixNanos, long sequence) {
    return "{\"type\":\"message\",\"topic\":\"stocks.7\",\"payload\":\"TS="
        + unixNanos
        + " SEQ="
        + sequence
        + " \"}";
  }
}
