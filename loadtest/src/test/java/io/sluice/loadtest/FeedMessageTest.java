package io.sluice.loadtest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FeedMessageTest {
  private static final long BROKER = 1_763_700_000_000L;
  private static final String PAYLOAD = "TS=1763700000123456789 SEQ=42 xxxx";
  private static final FeedMessage MESSAGE =
      new FeedMessage(new FeedStamp(1_763_700_000_123_456_789L, 42), BROKER, PAYLOAD.length());

  @Test
  void shouldReadJsonMessages() {
    assertThat(FeedMessage.ofText(text(PAYLOAD))).isEqualTo(MESSAGE);
  }

  @Test
  void shouldReadTimeAfterTopicThatContainsTimeMember() {
    String frame = text(PAYLOAD).replace("stocks.7", ",\\\"time\\\":7");

    assertThat(FeedMessage.ofText(frame)).isEqualTo(MESSAGE);
  }

  @Test
  void shouldReadBinaryMessages() {
    assertThat(FeedMessage.ofBinary(binary(0x01, "", PAYLOAD), BROKER + 5)).isEqualTo(MESSAGE);
  }

  @ParameterizedTest
  @ValueSource(longs = {-2_000_000_000, -1, 0, 1, 2_000_000_000})
  void shouldFindTheTimeNearestToNow(long awayMillis) {
    FeedMessage message = FeedMessage.ofBinary(binary(0x01, "", PAYLOAD), BROKER + awayMillis);

    assertThat(message.brokerUnixMillis()).isEqualTo(BROKER);
  }

  @Test
  void shouldSkipPropertiesOfBinaryMessages() {
    String properties = "{\"a\":\"" + "p".repeat(300) + "\"}";

    assertThat(FeedMessage.ofBinary(binary(0x41, properties, PAYLOAD), BROKER)).isEqualTo(MESSAGE);
  }

  @Test
  void shouldRejectOtherFrames() {
    assertThat(FeedMessage.ofText("{\"type\":\"live\"}")).isNull();
    assertThat(FeedMessage.ofText("{\"type\":\"message\",\"payload\":\"" + PAYLOAD + "\"}"))
        .isNull();
    assertThat(FeedMessage.ofText(text("hello"))).isNull();
    assertThat(FeedMessage.ofBinary(binary(0x02, "", PAYLOAD), BROKER)).isNull();
  }

  @Test
  void shouldRejectTruncatedFrames() {
    byte[] whole = binary(0x41, "{\"a\":1}", PAYLOAD);
    int stampEnd = whole.length - "xxxx".length();
    for (int length = 0; length <= whole.length; length++) {
      byte[] part = Arrays.copyOf(whole, length);

      assertThat(FeedMessage.ofBinary(part, BROKER) != null).isEqualTo(length >= stampEnd);
    }
  }

  @Test
  void shouldRejectRandomBytes() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 100_000; i++) {
      byte[] noise = new byte[random.nextInt(64)];
      random.nextBytes(noise);

      assertThat(FeedMessage.ofBinary(noise, BROKER)).as("seed %d", seed).isNull();
    }
  }

  private static String text(String payload) {
    return "{\"type\":\"message\",\"topic\":\"stocks.7\",\"offset\":42,\"id\":\"9e3779b97f4a7c15\","
        + "\"time\":"
        + BROKER
        + ",\"payload\":\""
        + payload
        + "\"}";
  }

  private static byte[] binary(int head, String properties, String payload) {
    byte[] text = payload.getBytes(UTF_8);
    byte[] extra = properties.getBytes(UTF_8);
    ByteBuffer frame = ByteBuffer.allocate(22 + extra.length + text.length);
    frame.put((byte) head).put(new byte[15]).putInt((int) BROKER);
    if ((head & 0x40) != 0) {
      frame.putShort((short) extra.length).put(extra);
    }
    frame.put(text).flip();
    byte[] bytes = new byte[frame.remaining()];
    frame.get(bytes);
    return bytes;
  }
}
