package io.sluice.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonTest {
  @Test
  void shouldParseEachKindOfValue() {
    assertThat(Json.parse(" {\"a\":[1,-2.5e1,true,false,null,\"x\"],\"b\":{}} "))
        .isEqualTo(Map.of("a", Arrays.asList(1L, -25.0, true, false, null, "x"), "b", Map.of()));
    assertThat(Json.parse("9223372036854775807")).isEqualTo(Long.MAX_VALUE);
    assertThat(Json.parse("9223372036854775808")).isEqualTo(9223372036854775808.0);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[1,]",
        "[,1]",
        "{\"a\"}",
        "{a:1}",
        "01",
        "1.",
        ".5",
        "+1",
        "-",
        "1e",
        "tru",
        "\"",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\u12",
        "\"\t\"",
        "[1] 2",
        "NaN",
        "{\"a\":1,}"
      })
  void shouldRefuseInvalidJson(String text) {
    assertThatThrownBy(() -> Json.parse(text))
        .isInstanceOf(BadFrameException.class)
        .hasMessageStartingWith("JSON at ");
  }

  @ParameterizedTest
  @CsvSource({"64,true", "65,false"})
  void shouldLimitTheDepth(int depth, boolean isValid) {
    String text = "[".repeat(depth) + "]".repeat(depth);
    if (isValid) {
      assertThat(Json.parse(text)).isInstanceOf(List.class);
    } else {
      assertThatThrownBy(() -> Json.parse(text)).hasMessageContaining("deeper than 64");
    }
  }

  @Test
  void shouldRestoreWhatItHasWritten() {
    String text = "\"\\/\b\f\n\r\t\u0000\u001f \u20ac \ud83d\ude00";
    Object value = Map.of(text, Arrays.asList(text, 1L, 0.5, null, true));
    assertThat(Json.parse(Json.write(value))).isEqualTo(value);
  }

  @Test
  void shouldRefuseToWriteWhatJsonCannotExpress() {
    assertThatThrownBy(() -> Json.write(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Json.write(List.of(new Object())))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
