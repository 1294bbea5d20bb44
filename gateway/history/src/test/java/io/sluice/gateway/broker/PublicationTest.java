package io.sluice.gateway.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.protocol.PayloadKind;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PublicationTest {
  private static Publication with(Map<String, Object> properties) {
    return new Publication("chat", PayloadKind.BYTES, new byte[100], properties);
  }

  @Test
  void shouldCountThePayload() {
    assertThat(with(Map.of()).bytes()).isEqualTo(100);
    assertThat(with(Map.of()).size()).isEqualTo(104);
  }

  @Test
  void shouldCountNamesAndValuesOfProperties() {
    assertThat(with(Map.of("name", "value")).bytes()).isEqualTo(109);
    assertThat(with(Map.of("größe", "\u20ac")).bytes()).isEqualTo(100 + 7 + 3);
    assertThat(with(Map.of("l", 3L, "d", 1.5, "b", true)).bytes()).isEqualTo(100 + 3 * 9);
  }

  @Test
  void shouldCountTheOverheadOfEachProperty() {
    assertThat(with(Map.of("l", 3L, "b", true)).size()).isEqualTo(104 + 2 * (9 + 96));
  }
}
