package io.sluice.loadtest.load.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextKindTest {
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '\'',
      value = {
        "'{\"type\":\"message\",\"topic\":\"a\"}', MESSAGE",
        "'{\"type\":\"subscribed\",\"ref\":1}', SUBSCRIBED",
        "'{\"type\":\"error\",\"code\":\"forbidden\"}', ERROR",
        "'{\"type\":\"gap\",\"topic\":\"a\"}', GAP",
        "'{\"type\":\"hello\",\"node\":\"gw-1\"}', OTHER",
        "'{\"type\":\"stale\"}', OTHER",
        "'{\"type\":\"live\"}', OTHER",
        "'{\"type\":\"errors\",\"code\":1}', OTHER",
        "'{\"type\":\"gape\",\"code\":1}', OTHER",
        "'{\"kind\":\"error\",\"code\":1}', OTHER",
        "'', OTHER"
      })
  void shouldClassifyByType(String frame, TextKind kind) {
    ByteBuf bytes = Unpooled.copiedBuffer("..." + frame, UTF_8);

    assertThat(TextKind.of(bytes, 3, frame.length())).isEqualTo(kind);
  }

  @Test
  void shouldFindMembers() {
    String frame = "{\"type\":\"error\",\"code\":\"forbidden\",\"message\":\"not yo";

    assertThat(TextKind.member(frame, "code")).isEqualTo("forbidden");
    assertThat(TextKind.member(frame, "message")).isEmpty();
    assertThat(TextKind.member(frame, "topic")).isEmpty();
  }
}
