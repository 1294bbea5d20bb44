package io.sluice.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FeedStampTest {
  @Test
  void shouldParseStamp() {
    assertThat(FeedStamp.parse("TS=1 SEQ=0 ", 0)).isEqualTo(new FeedStamp(1, 0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "TS=",
        "TS=1",
        "TS=1 ",
        "TS= SEQ=1 ",
        "TS=1 SEQ=",
        "TS=1 SEQ= ",
        "TS=1 SEQ=1",
        "TS=-1 SEQ=1 ",
        "TS=1 SEQ=1x",
        "TS=1  SEQ=1 ",
        " TS=1 SEQ=1 ",
        "ts=1 seq=1 ",
        "TS=99999999999999999999 SEQ=1 ",
        "TS=1 SEQ=9223372036854775808 "
      })
  void shouldRejectOtherText(String payload) {
    assertThat(FeedStamp.parse(payload, 0)).isNull();
  }
}
