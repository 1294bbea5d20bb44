package io.sluice.gateway.stomp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values of single headers: destinations and heart-beats. */
final class StompHeadersTest {
  @ParameterizedTest
  @CsvSource({
    "/topic/a.b, TOPIC, a.b",
    "/topic/a/b, TOPIC, a.b",
    "a.*, TOPIC, a.*",
    "/a, TOPIC, a",
    "topic://a.>, TOPIC, a.>",
    "jms.queue.a, QUEUE, a",
    "/queue/a, QUEUE, a",
    "/amq/queue/a, QUEUE, a",
    "/temp-queue/a/b, TEMPORARY, a/b",
    "/topic/#, TOPIC, >",
    "/topic/a.#, TOPIC, a.>",
  })
  void shouldReadDestinations(String text, StompDestination.Kind kind, String name)
      throws BadStomp {
    StompDestination read = StompDestination.of(text, false);
    assertThat(read.kind()).isEqualTo(kind);
    assertThat(read.name()).isEqualTo(name);
    assertThat(read.orParent()).isEqualTo(text.endsWith(".#"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/topic/", "/exchange/a/b", "/app/a", "/user/queue/a", "/temp-topic/a"})
  void shouldRefuseOtherDestinations(String text) {
    assertThatThrownBy(() -> StompDestination.of(text, false)).isInstanceOf(BadStomp.class);
  }

  @ParameterizedTest
  @CsvSource({
    "'0,0', 0, 0",
    "'10000,10000', 9, 11",
    "'1,1', 9, 11",
    "'0,60000', 54, 0",
    "' 20000 , 0 ', 0, 21",
    "'0,999999999999999999', 1932735, 0",
  })
  void shouldNegotiateHeartBeats(String header, int sendTicks, int expectTicks) throws BadStomp {
    assertThat(HeartBeat.of(header)).isEqualTo(new HeartBeat(sendTicks, expectTicks));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1", "1,", ",1", "1,2,3", "-1,0", "a,b", "1000000000000000000,0"})
  void shouldRefuseOtherHeartBeats(String header) {
    assertThatThrownBy(() -> HeartBeat.of(header)).isInstanceOf(BadStomp.class);
  }
}
