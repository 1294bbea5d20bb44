package io.sluice.gateway.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class Utf8CheckTest {
  @Test
  void shouldAcceptEveryCodePointButSurrogates() {
    for (int point = 0; point <= Character.MAX_CODE_POINT; point++) {
      if (point < 0xD800 || point > 0xDFFF) {
        assertThat(isText(Character.toString(point).getBytes(StandardCharsets.UTF_8))).isTrue();
      }
    }
  }

  @Test
  void shouldAgreeWithThePlatformOnEverySequenceOfThreeBytes() {
    byte[] bytes = new byte[3];
    for (int value = 0; value < 1 << 24; value += 1 + (value & 0x7F7F7F) % 7) {
      bytes[0] = (byte) (value >> 16);
      bytes[1] = (byte) (value >> 8);
      bytes[2] = (byte) value;
      assertThat(isText(bytes)).as("%06x", value).isEqualTo(platformSays(bytes));
    }
  }

  @Test
  void shouldAgreeWithThePlatformOnRandomBytes() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 200_000; i++) {
      byte[] bytes = new byte[random.nextInt(12)];
      random.nextBytes(bytes);
      if (bytes.length >= 4) {
        bytes[0] = (byte) (0xEC + random.nextInt(10));
        bytes[2] = (byte) (0x80 | bytes[2] & 0x3F);
        bytes[3] = (byte) (0x80 | bytes[3] & 0x3F);
      }
      assertThat(isText(bytes)).as("seed %d", seed).isEqualTo(platformSays(bytes));
    }
  }

  @ParameterizedTest
  @MethodSource("invalidTexts")
  void shouldComeToTheSameEndHoweverTextIsCut(byte[] bytes) {
    ByteBuf buffer = Unpooled.wrappedBuffer(bytes);
    for (int cut = 0; cut <= bytes.length; cut++) {
      byte state = Utf8Check.advance(Utf8Check.BOUNDARY, buffer, 0, cut);
      state = Utf8Check.advance(state, buffer, cut, bytes.length - cut);
      assertThat(state).isNotEqualTo(Utf8Check.BOUNDARY);
    }
  }

  static Stream<byte[]> invalidTexts() {
    return Utf8Samples.invalid();
  }

  private static boolean isText(byte[] bytes) {
    return Utf8Check.isText(Unpooled.wrappedBuffer(bytes), 0, bytes.length);
  }

  private static boolean platformSays(byte[] bytes) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
