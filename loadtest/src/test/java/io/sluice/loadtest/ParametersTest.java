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
  void shouldUseDefaults() {
    assertThat(parameters.number("clients", 100, 1)).isEqualTo(100);
    assertThat(parameters.seconds("ramp", 5, 0)).isEqualTo(Duration.ofSeconds(5));
    assertThat(parameters.word("encoding", "json", "json", "bin")).isEqualTo("json");
    assertThat(parameters.webSocketUrl("url", "ws://localhost:8080/ws")).startsWith("ws://");
  }

  @Test
  void shouldUseGivenValues() {
    properties.setProperty("clients", "7");
    properties.setProperty("encoding", "bin");
    properties.setProperty("url", "wss://[::1]:8443/ws");

    assertThat(parameters.number("clients", 100, 1)).isEqualTo(7);
    assertThat(parameters.word("encoding", "json", "json", "bin")).isEqualTo("bin");
    assertThat(parameters.webSocketUrl("url", "")).isEqualTo("wss://[::1]:8443/ws");
  }

  @Test
  void shouldNameInvalidValues() {
    properties.setProperty("clients", "many");
    properties.setProperty("topics", "0");
    properties.setProperty("encoding", "xml");
    properties.setProperty("url", "http://localhost/ws");
    properties.setProperty("other", "ws://a b");

    assertThatThrownBy(() -> parameters.number("clients", 100, 1)).hasMessageContaining("many");
    assertThatThrownBy(() -> parameters.number("topics", 100, 1))
        .hasMessage("-Dtopics=0: must be at least 1");
    assertThatThrownBy(() -> parameters.word("encoding", "json", "json", "bin"))
        .hasMessageContaining("json, bin");
    assertThatThrownBy(() -> parameters.webSocketUrl("url", ""))
        .hasMessageContaining("-Durl=http://localhost/ws");
    assertThatThrownBy(() -> parameters.webSocketUrl("other", "")).hasMessageContaining("-Dother");
  }

  @Test
  void shouldReadDecimalsFilesAndMetricsUrls() {
    properties.setProperty("rate", "0.5");
    properties.setProperty("metrics", "http://localhost:9090/metrics");
    properties.setProperty("few", "-1");
    properties.setProperty("page", "ftp://localhost/");

    assertThat(parameters.decimal("rate", 10, 0)).isEqualTo(0.5);
    assertThat(parameters.httpUrl("metrics")).isPresent();
    assertThat(parameters.httpUrl("none")).isEmpty();
    assertThat(parameters.file("none")).isEmpty();
    assertThatThrownBy(() -> parameters.decimal("few", 1, 0))
        .hasMessage("-Dfew=-1: must be at least 0.0");
    assertThatThrownBy(() -> parameters.httpUrl("page")).hasMessageContaining("-Dpage=ftp:");
  }

  @Test
  void shouldRecordRequestedAndGivenParameters() {
    properties.setProperty("clients", "7");
    properties.setProperty("other", "never requested");

    parameters.number("topics", 100, 1);
    parameters.number("clients", 100, 1);

    assertThat(parameters.all().keySet()).containsExactly("topics", "clients");
    assertThat(parameters.all()).containsEntry("topics", "100").containsEntry("clients", "7");
    assertThat(parameters.given()).containsOnlyKeys("clients");
  }

  @Test
  void shouldRejectUnknownParametersOfTheCommand() {
    properties.setProperty("client", "7");
    parameters.number("clients", 100, 1);
    parameters.rejectUnknown();
    properties.setProperty("sluice.parameters", "clients,client");

    assertThatThrownBy(parameters::rejectUnknown)
        .hasMessage("-Dclient: no parameter of this simulation; expected one of [clients]");
    properties.setProperty("sluice.parameters", "");
    parameters.rejectUnknown();
  }

  @Test
  void shouldNameTheProgramThatStartedTheSimulation() {
    assertThat(parameters.program("Ramp"))
        .isEqualTo(
            "mvn -pl loadtest gatling:test -Dgatling.simulationClass=io.sluice.loadtest.Ramp");
    properties.setProperty("sluice.parameters", "");
    assertThat(parameters.program("Ramp")).isEqualTo("sluice simulate Ramp");
  }
}
