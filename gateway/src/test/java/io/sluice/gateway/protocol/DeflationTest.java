package io.sluice.gateway.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeflationTest {
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  private final Deflation deflation = new Deflation(allocator, 6);

  @AfterEach
  void shouldLeakNoBuffer() {
    deflation.close();
    assertThat(allocator.metric().usedHeapMemory()).isZero();
  }

  @Test
  void shouldCompressTheExampleOfTheStandard() {
    ByteBuf hello = Unpooled.copiedBuffer("Hello", StandardCharsets.UTF_8);
    assertThat(ByteBufUtil.hexDump(deflation.deflate(hello))).isEqualTo("f248cdc9c90700");
    assertThat(hello.readableBytes()).isEqualTo(5);
    // No context takeover: the same input has the same output.
    assertThat(ByteBufUtil.hexDump(deflation.deflate(hello))).isEqualTo("f248cdc9c90700");
    assertThat(ByteBufUtil.hexDump(deflation.deflate(Unpooled.EMPTY_BUFFER))).isEqualTo("00");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 9})
  void shouldCompressAnySizeAndContent(int level) throws DataFormatException {
    try (Deflation other = new Deflation(UnpooledByteBufAllocator.DEFAULT, level)) {
      for (int size = 1; size < 3_000_000; size += 1 + size / 3) {
        byte[] noise = new byte[size];
        new Random(size).nextBytes(noise);
        assertThat(inflate(other.deflate(Unpooled.wrappedBuffer(noise)), size)).isEqualTo(noise);
        byte[] zeros = new byte[size];
        ByteBuf direct = Unpooled.directBuffer(size).writeBytes(zeros);
        ByteBuf small = other.deflate(direct);
        direct.release();
        assertThat(small.readableBytes()).isLessThan(20 + size / 50);
        assertThat(inflate(small, size)).isEqualTo(zeros);
      }
    }
  }

  private static byte[] inflate(ByteBuf compressed, int size) throws DataFormatException {
    Inflater inflater = new Inflater(true);
    byte[] content = new byte[size];
    inflater.setInput(ByteBufUtil.getBytes(compressed));
    int count = inflater.inflate(content);
    assertThat(inflater.inflate(new byte[1])).isZero();
    inflater.end();
    assertThat(count).isEqualTo(size);
    return content;
  }
}
