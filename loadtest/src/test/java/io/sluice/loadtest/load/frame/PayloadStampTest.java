package io.sluice.loadtest.load.frame;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PayloadStampTest {
  @Test
  void shouldReadStampAfterOtherBytes() {
    PayloadStamp stamp = new PayloadStamp();

    assertThat(read(stamp, "{\"topic\":\"T.TS\",\"payload\":\"TS=1763700000000000001 SEQ=42 x"))
        .isTrue();
    assertThat(stamp.unixNanos()).isEqualTo(1_763_700_000_000_000_001L);
    assertThat(stamp.sequence()).isEqualTo(42);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "T",
        "TS",
        "TS=",
        "TS= SEQ=1 ",
        "TS=1",
        "TS=1 ",
        "TS=1 SEQ",
        "TS=1 SEQ=",
        "TS=1 SEQ=x ",
        "TS=1 SEQ=1",
        "ts=1 seq=1 ",
        "TS=11111111111111111111 SEQ=1 "
      })
  void shouldIgnorePayloadWithoutStamp(String payload) {
    assertThat(read(new PayloadStamp(), payload)).isFalse();
  }

  private static boolean read(PayloadStamp stamp, String payload) {
    ByteBuf bytes = Unpooled.copiedBuffer("?" + payload + " SEQ=9 ", US_ASCII);
    return stamp.read(bytes, 1, payload.length());
  }
}
