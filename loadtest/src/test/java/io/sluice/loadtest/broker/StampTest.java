package io.sluice.loadtest.broker;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StampTest {
  @Test
  void whatIsWrittenIsReadAgain() {
    for (Stamp stamp :
        new Stamp[] {
          new Stamp(0, 0, 0, 0),
          new Stamp(-7, 9_999, Long.MAX_VALUE, -1),
          new Stamp(Integer.MAX_VALUE, 1, 42, Long.MIN_VALUE)
        }) {
      assertThat(Stamp.read(stamp.payload(Stamp.BYTES), 0)).isEqualTo(stamp);
    }
  }

  @Test
  void aPayloadHasItsSizeAndIsText() {
    byte[] payload = new Stamp(1, 2, 3, 4).payload(100);

    assertThat(payload).hasSize(100);
    assertThat(new String(payload, US_ASCII)).matches("[0-9a-f]{48}\\.{52}");
  }

  @Test
  void aStampStandsBehindAHeader() {
    Stamp stamp = new Stamp(1, 2, 3, 4);
    byte[] frame = new byte[20 + Stamp.BYTES];
    System.arraycopy(stamp.payload(Stamp.BYTES), 0, frame, 20, Stamp.BYTES);

    assertThat(Stamp.read(frame, 20)).isEqualTo(stamp);
  }

  @Test
  void whatIsTooShortOrNoStampIsNone() {
    assertThat(Stamp.read(new byte[0], 0)).isNull();
    assertThat(Stamp.read(new byte[Stamp.BYTES - 1], 0)).isNull();
    assertThat(Stamp.read("x".repeat(Stamp.BYTES).getBytes(US_ASCII), 0)).isNull();
    assertThat(Stamp.read(new byte[Stamp.BYTES], 20)).isNull();
  }
}
