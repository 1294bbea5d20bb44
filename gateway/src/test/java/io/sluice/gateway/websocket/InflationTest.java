package io.sluice.gateway.websocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.websocket.Inflation.Outcome;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.zip.Deflater;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InflationTest {
  private final Inflation inflation = new Inflation();
  private final ByteBuf out = Unpooled.buffer(0);

  @AfterEach
  void close() {
    inflation.close();
  }

  @Test
  void shouldGoOnAfterABlockThatIsMarkedAsTheLast() {
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    for (String part : new String[] {"first, ", "second, ", "third"}) {
      message.writeBytes(finished(part));
    }
    message.write(0);
    assertThat(inflate(message.toByteArray(), 100)).isEqualTo(Outcome.DONE);
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("first, second, third");
  }

  @Test
  void shouldNeverWriteMoreThanAByteOverTheLimit() {
    byte[] bomb = finished("x".repeat(10_000_000));
    assertThat(inflate(bomb, 1000)).isEqualTo(Outcome.TOO_BIG);
    assertThat(out.readableBytes()).isEqualTo(1001);
    assertThat(out.capacity()).isLessThanOrEqualTo(1001);
  }

  @Test
  void shouldNotLetManyLastBlocksCostMuch() {
    byte[] blocks = new byte[1 << 20];
    for (int i = 0; i < blocks.length; i += 2) {
      blocks[i] = 3; // an empty block that is marked as the last
    }
    assertTimeout(
        Duration.ofSeconds(10),
        () -> assertThat(inflate(Arrays.copyOf(blocks, blocks.length - 1), 1000)).isNotNull());
  }

  @Test
  void shouldWorkAfterAFailure() {
    assertThat(inflate(new byte[] {7}, 1000)).isEqualTo(Outcome.CORRUPT);
    out.clear();
    assertThat(inflate(new byte[] {0}, 1000)).isEqualTo(Outcome.DONE);
    assertThat(out.isReadable()).isFalse();
  }

  private Outcome inflate(byte[] compressed, int maxBytes) {
    return inflation.inflate(Unpooled.wrappedBuffer(compressed), out, maxBytes);
  }

  private static byte[] finished(String content) {
    Deflater deflater = new Deflater(9, true);
    deflater.setInput(content.getBytes(StandardCharsets.UTF_8));
    deflater.finish();
    byte[] bytes = new byte[100_000];
    int count = deflater.deflate(bytes);
    deflater.end();
    return Arrays.copyOf(bytes, count);
  }
}
