package io.sluice.gateway.websocket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.testkit.MessageInflater;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
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
  void shouldEstimateItsTimeFromSamples() {
    LongAdder nanos = new LongAdder();
    try (Deflation measured = new Deflation(UnpooledByteBufAllocator.DEFAULT, 6, nanos)) {
      ByteBuf payload = Unpooled.wrappedBuffer(new byte[10_000]);
      measured.deflate(payload);
      long first = nanos.sum();
      assertThat(first).isPositive();
      for (int i = 1; i < 16; i++) {
        measured.deflate(payload);
      }
      assertThat(nanos.sum()).isEqualTo(first);
      measured.deflate(payload);
      assertThat(nanos.sum()).isGreaterThan(first);
    }
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

  @Test
  void shouldContinueAnyWindowThatEndsWithTheDictionary() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    try (MessageInflater early = new MessageInflater("permessage-deflate");
        MessageInflater late = new MessageInflater("permessage-deflate")) {
      byte[] previous = content(random);
      assertThat(early.inflate(bytes(deflation.deflate(Unpooled.wrappedBuffer(previous)))))
          .isEqualTo(previous);
      for (int i = 0; i < 2000; i++) {
        byte[] next = random.nextInt(3) > 0 ? similar(previous, random) : content(random);
        if (i == 1000) {
          ByteBuf full = deflation.deflate(Unpooled.wrappedBuffer(previous));
          assertThat(late.inflate(bytes(full))).isEqualTo(previous);
        }
        byte[] frame =
            bytes(
                deflation.deflate(Unpooled.wrappedBuffer(next), Unpooled.wrappedBuffer(previous)));
        assertThat(early.inflate(frame)).as("seed %d, message %d", seed, i).isEqualTo(next);
        if (i >= 1000) {
          assertThat(late.inflate(frame)).as("seed %d, message %d", seed, i).isEqualTo(next);
        }
        previous = next;
      }
    }
  }

  @Test
  void shouldReferToTheDictionary() {
    byte[] noise = new byte[1000];
    new Random(1).nextBytes(noise);
    ByteBuf same = Unpooled.wrappedBuffer(noise);
    assertThat(deflation.deflate(same, Unpooled.wrappedBuffer(noise)).readableBytes())
        .isLessThan(30);
    assertThat(deflation.deflate(same).readableBytes()).isGreaterThan(1000);
  }

  @ParameterizedTest
  @ValueSource(ints = {32 * 1024 - 1, 32 * 1024, 32 * 1024 + 1, 100_000})
  void shouldUseTheEndOfADictionaryLargerThanTheWindow(int size) {
    byte[] noise = new byte[size];
    new Random(size).nextBytes(noise);
    ByteBuf end = Unpooled.wrappedBuffer(noise, size - 1000, 1000);
    try (MessageInflater inflater = new MessageInflater("permessage-deflate")) {
      inflater.inflate(bytes(deflation.deflate(Unpooled.wrappedBuffer(noise))));
      byte[] frame = bytes(deflation.deflate(end, Unpooled.wrappedBuffer(noise)));
      assertThat(frame).hasSizeLessThan(30);
      assertThat(inflater.inflate(frame)).isEqualTo(ByteBufUtil.getBytes(end));
    }
  }

  private static byte[] content(Random random) {
    byte[] content = new byte[1 + random.nextInt(random.nextInt(10) == 0 ? 50_000 : 500)];
    int letters = 1 + random.nextInt(255);
    for (int i = 0; i < content.length; i++) {
      content[i] = (byte) random.nextInt(letters);
    }
    return content;
  }

  private static byte[] similar(byte[] content, Random random) {
    byte[] changed = content.clone();
    for (int i = random.nextInt(5); i >= 0; i--) {
      changed[random.nextInt(changed.length)] = (byte) random.nextInt();
    }
    return changed;
  }

  private static byte[] bytes(ByteBuf frame) {
    return ByteBufUtil.getBytes(frame);
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
