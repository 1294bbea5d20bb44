package io.sluice.loadtest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StampTest {
  private static final Stamp STAMP = new Stamp(1_763_700_000_123_456_789L, 42);
  private static final String PAYLOAD = "TS=1763700000123456789 SEQ=42 xxxx";

  @Test
  void shouldReadJsonMessages() {
    String frame =
        "{\"type\":\"message\",\"topic\":\"stocks.7\",\"offset\":42,\"id\":\"9e3779b97f4a7c15\","
            + "\"time\":1763700000000,\"payload\":\""
            + PAYLOAD
            + "\"}";

    assertThat(Stamp.ofText(frame)).isEqualTo(STAMP);
  }

  @Test
  void shouldReadBinaryMessages() {
    assertThat(Stamp.ofBinary(binary(0x01, "", PAYLOAD))).isEqualTo(STAMP);
  }

  @Test
  void shouldSkipPropertiesOfBinaryMessages() {
    String properties = "{\"a\":\"" + "p".repeat(300) + "\"}";

    assertThat(Stamp.ofBinary(binary(0x41, properties, PAYLOAD))).isEqualTo(STAMP);
  }

  @Test
  void shouldReadAStampAndNothingElse() {
    assertThat(Stamp.parse("TS=1 SEQ=0 ", 0)).isEqualTo(new Stamp(1, 0));
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
  void shouldReadNothingElse(String payload) {
    assertThat(Stamp.parse(payload, 0)).isNull();
    assertThat(Stamp.ofText("{\"type\":\"message\",\"payload\":\"" + payload + "\"}")).isNull();
    assertThat(Stamp.ofBinary(binary(0x01, "", payload))).isNull();
  }

  @Test
  void shouldReadNoStampFromOtherFrames() {
    assertThat(Stamp.ofText("{\"type\":\"live\"}")).isNull();
    assertThat(Stamp.ofBinary(binary(0x02, "", PAYLOAD))).isNull();
  }

  @Test
  void shouldSurviveEveryTruncation() {
    byte[] whole = binary(0x41, "{\"a\":1}", PAYLOAD);
    int stampEnd = whole.length - "xxxx".length();
    for (int length = 0; length <= whole.length; length++) {
      byte[] part = Arrays.copyOf(whole, length);

      assertThat(Stamp.ofBinary(part)).isEqualTo(length < stampEnd ? null : STAMP);
    }
  }

  @Test
  void shouldSurviveNoise() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 100_000; i++) {
      byte[] noise = new byte[random.nextInt(64)];
      random.nextBytes(noise);

      assertThat(Stamp.ofBinary(noise)).as("seed %d", seed).isNull();
    }
  }

  private static byte[] binary(int head, String properties, String payload) {
    byte[] text = payload.getBytes(UTF_8);
    byte[] extra = properties.getBytes(UTF_8);
    ByteBuffer frame = ByteBuffer.allocate(22 + extra.length + text.length);
    frame.put((byte) head).put(new byte[19]);
    if ((head & 0x40) != 0) {
      frame.putShort((short) extra.length).put(extra);
    }
    frame.put(text).flip();
    byte[] bytes = new byte[frame.remaining()];
    frame.get(bytes);
    return bytes;
  }
}
