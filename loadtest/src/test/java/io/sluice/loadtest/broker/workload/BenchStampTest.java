package io.sluice.loadtest.broker.workload;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BenchStampTest {
  @Test
  void shouldReadWrittenStamp() {
    for (BenchStamp stamp :
        new BenchStamp[] {
          new BenchStamp(0, 0, 0, 0),
          new BenchStamp(-7, 9_999, Long.MAX_VALUE, -1),
          new BenchStamp(Integer.MAX_VALUE, 1, 42, Long.MIN_VALUE)
        }) {
      assertThat(BenchStamp.read(stamp.payload(BenchStamp.BYTES), 0)).isEqualTo(stamp);
    }
  }

  @Test
  void shouldFillPayloadWithText() {
    byte[] payload = new BenchStamp(1, 2, 3, 4).payload(100);

    assertThat(payload).hasSize(100);
    assertThat(new String(payload, US_ASCII)).matches("[0-9a-f]{48}\\.{52}");
  }

  @Test
  void shouldReadStampAfterHeader() {
    BenchStamp stamp = new BenchStamp(1, 2, 3, 4);
    byte[] frame = new byte[20 + BenchStamp.BYTES];
    System.arraycopy(stamp.payload(BenchStamp.BYTES), 0, frame, 20, BenchStamp.BYTES);

    assertThat(BenchStamp.read(frame, 20)).isEqualTo(stamp);
  }

  @Test
  void shouldRejectInvalidStamp() {
    assertThat(BenchStamp.read(new byte[0], 0)).isNull();
    assertThat(BenchStamp.read(new byte[BenchStamp.BYTES - 1], 0)).isNull();
    assertThat(BenchStamp.read("x".repeat(BenchStamp.BYTES).getBytes(US_ASCII), 0)).isNull();
    assertThat(BenchStamp.read(new byte[BenchStamp.BYTES], 20)).isNull();
  }
}
