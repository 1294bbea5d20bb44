package io.sluice.gateway.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TraceContextTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SPAN = "00f067aa0ba902b7";
  private static final String VALID = "00-" + TRACE + "-" + SPAN + "-01";

  @Test
  void shouldParseASampledContext() {
    assertThat(TraceContext.parse(VALID)).isEqualTo(new TraceContext(TRACE, SPAN, true));
  }

  @Test
  void shouldReadOnlyTheSampledBitOfTheFlags() {
    assertThat(TraceContext.parse("00-" + TRACE + "-" + SPAN + "-fe").sampled()).isFalse();
    assertThat(TraceContext.parse("00-" + TRACE + "-" + SPAN + "-03").sampled()).isTrue();
  }

  @Test
  void shouldAcceptAppendedFieldsOfLaterVersions() {
    assertThat(TraceContext.parse("01-" + TRACE + "-" + SPAN + "-01-more")).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
        " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
      })
  void shouldRejectMalformedContexts(String value) {
    assertThat(TraceContext.parse(value)).isNull();
    assertThat(TraceContext.accepts(TraceContext.PARENT, value)).isFalse();
  }

  @Test
  void shouldRejectAContextThatIsTooLong() {
    String prefix = "01-" + TRACE + "-" + SPAN + "-01-";
    assertThat(TraceContext.parse(prefix + "x".repeat(128 - prefix.length()))).isNotNull();
    assertThat(TraceContext.parse(prefix + "x".repeat(129 - prefix.length()))).isNull();
  }

  @Test
  void shouldAcceptAStateOfAtMost512PrintableCharacters() {
    assertThat(TraceContext.accepts(TraceContext.STATE, "vendor=" + "x".repeat(505))).isTrue();
    assertThat(TraceContext.accepts(TraceContext.STATE, "vendor=" + "x".repeat(506))).isFalse();
    assertThat(TraceContext.accepts(TraceContext.STATE, "vendor=\n")).isFalse();
    assertThat(TraceContext.accepts(TraceContext.STATE, "")).isFalse();
  }

  @Test
  void shouldNotJudgeOtherProperties() {
    assertThat(TraceContext.accepts("priority", 3L)).isTrue();
    assertThat(TraceContext.invalidIn(Map.of("priority", 3L, "tracestate", "a=b"))).isEmpty();
  }

  @Test
  void shouldNameInvalidProperties() {
    assertThat(TraceContext.invalidIn(Map.of("traceparent", 3L, "tracestate", "\n")))
        .containsExactly("traceparent", "tracestate");
  }
}
