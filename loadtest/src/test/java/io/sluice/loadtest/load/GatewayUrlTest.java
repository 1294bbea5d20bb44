package io.sluice.loadtest.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GatewayUrlTest {
  @Test
  void shouldParseUrls() {
    assertThat(GatewayUrl.parse("ws://localhost:8080/ws"))
        .isEqualTo(new GatewayUrl("localhost", 8080, "/ws", false));
    assertThat(GatewayUrl.parse("wss://[::1]/ws?a=b%20c"))
        .isEqualTo(new GatewayUrl("[::1]", 443, "/ws?a=b%20c", true));
    assertThat(GatewayUrl.parse("ws://10.0.0.7"))
        .isEqualTo(new GatewayUrl("10.0.0.7", 80, "/", false));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "localhost", "http://localhost/ws", "ws:///ws", "ws://a b/ws"})
  void shouldRejectOtherText(String url) {
    assertThatThrownBy(() -> GatewayUrl.parse(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("'" + url + "' is not a WebSocket URL such as ws://localhost:8080/ws");
  }
}
