package io.sluice.gateway.websocket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.websocket.Inflation.Result;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.Deflater;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InflationTest {
  private final Inflation inflation = new Inflation();
  private final ByteBuf out = Unpooled.buffer(0);

  @AfterEach
  void close() {
    inflation.close();
  }

  @Test
  void shouldContinueAfterABlockThatIsMarkedAsTheLast() {
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    for (String part : new String[] {"first, ", "second, ", "third"}) {
      message.writeBytes(finished(part));
    }
    message.write(0);
    assertThat(inflate(message.toByteArray(), 100)).isEqualTo(Result.DONE);
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("first, second, third");
  }

  @Test
  void shouldWriteAtMostOneBytePastTheLimit() {
    byte[] bomb = finished("x".repeat(10_000_000));
    assertThat(inflate(bomb, 1000)).isEqualTo(Result.TOO_BIG);
    assertThat(out.readableBytes()).isEqualTo(1001);
    assertThat(out.capacity()).isLessThanOrEqualTo(1001);
  }

  @Test
  void shouldBoundTheBlocksThatAreMarkedAsTheLast() {
    assertThat(inflate(emptyLastBlocks(32_000), 1000)).isEqualTo(Result.CORRUPT);
    assertThat(inflate(emptyLastBlocks(65), 1000)).isEqualTo(Result.CORRUPT);
    assertThat(inflate(emptyLastBlocks(64), 1000)).isEqualTo(Result.DONE);
    assertThat(inflate(emptyLastBlocks(64), 1000)).isEqualTo(Result.DONE);
  }

  private static byte[] emptyLastBlocks(int count) {
    byte[] blocks = new byte[2 * count + 1];
    for (int i = 0; i < 2 * count; i += 2) {
      blocks[i] = 3;
    }
    return blocks;
  }

  @ParameterizedTest
  @ValueSource(ints = {Deflater.SYNC_FLUSH, Deflater.FULL_FLUSH})
  void shouldAcceptAnyNumberOfFlushes(int flush) {
    Deflater deflater = new Deflater(9, true);
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    byte[] part = new byte[100];
    for (int i = 0; i < 1000; i++) {
      deflater.setInput(new byte[] {'x'});
      message.write(part, 0, deflater.deflate(part, 0, part.length, flush));
    }
    deflater.end();
    message.write(0);
    assertThat(inflate(message.toByteArray(), 1000)).isEqualTo(Result.DONE);
    assertThat(out.readableBytes()).isEqualTo(1000);
  }

  @Test
  void shouldAcceptALargeMessageFinishedInParts() {
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    for (int i = 0; i < 64; i++) {
      message.writeBytes(finished("part " + i + " ".repeat(16_000)));
    }
    message.write(0);
    assertThat(inflate(message.toByteArray(), 1 << 21)).isEqualTo(Result.DONE);
    assertThat(out.readableBytes()).isGreaterThan(64 * 16_000);
  }

  @Test
  void shouldWorkAfterAFailure() {
    assertThat(inflate(new byte[] {7}, 1000)).isEqualTo(Result.CORRUPT);
    out.clear();
    assertThat(inflate(new byte[] {0}, 1000)).isEqualTo(Result.DONE);
    assertThat(out.isReadable()).isFalse();
  }

  private Result inflate(byte[] compressed, int maxBytes) {
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
