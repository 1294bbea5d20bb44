package io.sluice.gateway.streams.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StreamCursorTest {
  /** In the middle of interval 3. */
  private static final long NOW = Instant.parse("2024-10-09T00:01:10Z").toEpochMilli();

  private static long next(String received) {
    return StreamCursor.next(received, NOW, bound -> bound - 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"2", "0", "", "x", "-4", "99999999999999999999"})
  void shouldBeTheIntervalAfterAnEarlierOrInvalidCursor(String received) {
    assertThat(next(received)).isEqualTo(3);
  }

  @Test
  void shouldBeTheIntervalWithoutACursor() {
    assertThat(next(null)).isEqualTo(3);
  }

  @Test
  void shouldPassACursorThatIsNotInThePast() {
    assertThat(next("3")).isEqualTo(183);
    assertThat(next("200")).isEqualTo(380);
    assertThat(StreamCursor.next("3", NOW, bound -> 0)).isEqualTo(4);
  }
}
