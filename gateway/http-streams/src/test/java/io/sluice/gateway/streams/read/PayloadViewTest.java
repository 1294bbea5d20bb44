package io.sluice.gateway.streams.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PayloadViewTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "*/*|JSON",
        "text/plain|TEXT",
        "TEXT/Plain ; charset=utf-8|TEXT",
        "text/html,application/xhtml+xml,*/*;q=0.8|JSON",
        "application/json;q=0.1, application/octet-stream;q=0.5|BYTES",
        "application/json;q=x, text/plain;q=0.1|TEXT"
      })
  void shouldSelectTheBestForm(String accept, PayloadView expected) {
    assertThat(PayloadView.of(List.of(accept))).isEqualTo(expected);
  }

  @Test
  void shouldDefaultToJson() {
    assertThat(PayloadView.of(List.of())).isEqualTo(PayloadView.JSON);
  }

  @Test
  void shouldNotServeTypesThatBrowsersExecute() {
    assertThat(PayloadView.of(List.of("text/html, application/javascript"))).isNull();
    assertThat(PayloadView.of(List.of("text/plain;q=0"))).isNull();
  }
}
