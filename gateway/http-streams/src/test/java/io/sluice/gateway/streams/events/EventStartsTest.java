package io.sluice.gateway.streams.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.protocol.PositionText;
import io.sluice.gateway.protocol.Start;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which start of each topic follows from an id. */
final class EventStartsTest {
  private static final String POSITION = PositionText.of("00000000000000ff", 7, 1000, 0);
  private static final String SEVERAL =
      EventStarts.checksum("a.*") + "=" + POSITION + ",T=1763700000000";

  @Test
  void shouldHaveThePositionOfEachTopic() {
    EventStarts starts = EventStarts.ofLastEventId(SEVERAL);
    Start.Position position = (Start.Position) starts.of("a.*");
    assertThat(position.offset()).isEqualTo(7);
    assertThat(position.sinceMs()).isEqualTo(1000);
    assertThat(position.timeMs()).isEqualTo(1_763_700_000_000L);
    assertThat(starts.of("b")).as("new topic").isEqualTo(Start.NOW);
    assertThat(starts.isLost()).isFalse();
  }

  @Test
  void shouldEvaluateThePositionOfAnotherTopic() {
    EventStarts starts = EventStarts.ofLastEventId(POSITION);
    assertThat(starts.of("a")).isEqualTo(starts.of("b")).isInstanceOf(Start.Position.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "17",
        "T=1",
        "=",
        ",",
        ",T=1",
        "a=b,T=1",
        "a=,T=1",
        "0=00000000000000ff-0000000000000007",
        "0=00000000000000ff-0000000000000007,T=",
        "0=00000000000000ff-0000000000000007,T=9999999999999999999999",
        "0=00000000000000ff-0000000000000007,T=1,T=1"
      })
  void shouldReportThatAnUnknownPositionIsLost(String id) {
    assertThat(EventStarts.ofLastEventId(id).isLost()).isTrue();
    assertThat(EventStarts.ofOffset(id)).as("a malformed parameter").isNull();
  }

  @Test
  void shouldHaveNamesForStartsWithoutAPosition() {
    assertThat(EventStarts.ofOffset("now").of("a")).isEqualTo(Start.NOW);
    assertThat(EventStarts.ofOffset("snapshot").of("a")).isEqualTo(Start.SNAPSHOT);
    assertThat(EventStarts.ofOffset("-1").of("a")).isEqualTo(new Start.Last(1_000_000));
    assertThat(EventStarts.ofOffset("last")).isNull();
  }
}
