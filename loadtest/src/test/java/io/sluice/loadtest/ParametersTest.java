package io.sluice.loadtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class ParametersTest {
  private final Properties properties = new Properties();
  private final Parameters parameters = new Parameters(properties);

  @Test
  void shouldTakeDefaults() {
    assertThat(parameters.number("clients", 100, 1)).isEqualTo(100);
    assertThat(parameters.seconds("ramp", 5, 0)).isEqualTo(Duration.ofSeconds(5));
    assertThat(parameters.word("encoding", "json", "json", "bin")).isEqualTo("json");
    assertThat(parameters.webSocketUrl("url", "ws://localhost:8080/ws")).startsWith("ws://");
  }

  @Test
  void shouldTakeWhatIsGiven() {
    properties.setProperty("clients", "7");
    properties.setProperty("encoding", "bin");
    properties.setProperty("url", "wss://[::1]:8443/ws");

    assertThat(parameters.number("clients", 100, 1)).isEqualTo(7);
    assertThat(parameters.word("encoding", "json", "json", "bin")).isEqualTo("bin");
    assertThat(parameters.webSocketUrl("url", "")).isEqualTo("wss://[::1]:8443/ws");
  }

  @Test
  void shouldNameWhatIsWrong() {
    properties.setProperty("clients", "many");
    properties.setProperty("topics", "0");
    properties.setProperty("encoding", "xml");
    properties.setProperty("url", "http://localhost/ws");
    properties.setProperty("other", "ws://a b");

    assertThatThrownBy(() -> parameters.number("clients", 100, 1)).hasMessageContaining("many");
    assertThatThrownBy(() -> parameters.number("topics", 100, 1))
        .hasMessage("-Dtopics=0: should be at least 1");
    assertThatThrownBy(() -> parameters.word("encoding", "json", "json", "bin"))
        .hasMessageContaining("json, bin");
    assertThatThrownBy(() -> parameters.webSocketUrl("url", ""))
        .hasMessageContaining("-Durl=http://localhost/ws");
    assertThatThrownBy(() -> parameters.webSocketUrl("other", "")).hasMessageContaining("-Dother");
  }
}
