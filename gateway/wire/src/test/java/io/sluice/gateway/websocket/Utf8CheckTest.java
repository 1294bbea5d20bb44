package io.sluice.gateway.websocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.testkit.Utf8Samples;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
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
        if (!isText(Character.toString(point).getBytes(StandardCharsets.UTF_8))) {
          fail("refused code point %x", point);
        }
      }
    }
  }

  @Test
  void shouldAgreeWithThePlatformOnEverySequenceOfBoundaryBytes() {
    byte[] telling =
        HexFormat.of().parseHex("007f808f909fa0bfc0c1c2dfe0e1ecedeeeff0f1f3f4f5f8feff");
    byte[] bytes = new byte[4];
    for (int number = 0; number < telling.length * telling.length * telling.length; number++) {
      bytes[0] = telling[number % telling.length];
      bytes[1] = telling[number / telling.length % telling.length];
      bytes[2] = telling[number / telling.length / telling.length];
      for (byte last : telling) {
        bytes[3] = last;
        if (isText(bytes) != platformSays(bytes)) {
          fail("disagreement on " + HexFormat.of().formatHex(bytes));
        }
      }
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
  void shouldHaveTheSameResultForAnyChunks(byte[] bytes) {
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
