package io.sluice.gateway.broker.nats;

import static org.assertj.core.api.Assertions.assertThat;

import io.nats.client.impl.Headers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MessageTtlTest {
  @ParameterizedTest
  @CsvSource({
    "30, 30000",
    "1h30m, 5400000",
    "1.5s, 1500",
    "250ms, 250",
    "never, 0",
    "0, 0",
    "-5, 0",
    "soon, 0",
    "99999999999, 0"
  })
  void shouldReadSecondsAndDurations(String text, long ms) {
    assertThat(MessageTtl.ms(new Headers().add(MessageTtl.HEADER, text))).isEqualTo(ms);
  }

  @Test
  void shouldHaveNoneWithoutTheHeader() {
    assertThat(MessageTtl.ms(null)).isEqualTo(MessageTtl.NONE);
    assertThat(MessageTtl.ms(new Headers())).isEqualTo(MessageTtl.NONE);
  }
}
