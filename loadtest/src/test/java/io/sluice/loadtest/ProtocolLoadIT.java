package io.sluice.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.SluiceProcess;
import java.util.List;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients of {@code sluice load} in each protocol at a node with a feed. */
@Timeout(300)
class ProtocolLoadIT {
  private static final int CLIENTS = 40;

  @RegisterExtension static final SharedChain SHARED = new SharedChain();

  @Test
  void shouldReceiveEveryMessageByStomp() {
    assertComplete("stomp", "ws", "/ws");
  }

  @Tag("full")
  @ParameterizedTest
  @CsvSource({
    "sluice.v1.bin, ws, /ws",
    "sluice.v1.json, ws, /ws",
    "sse, http, /topics",
    "mqtt, ws, /mqtt"
  })
  void shouldReceiveEveryMessage(String protocol, String scheme, String path) {
    assertComplete(protocol, scheme, path);
  }

  private static void assertComplete(String protocol, String scheme, String path) {
    String url = SHARED.get().url().replaceFirst("^ws", scheme).replaceFirst("/ws$", path);
    List<String> launcher = List.of("env", "../gateway/bin/sluice");
    try (SluiceProcess load =
        SluiceProcess.start(
            launcher,
            "load",
            "--protocol",
            protocol,
            "--url",
            url,
            "--clients",
            String.valueOf(CLIENTS),
            "--topics",
            String.valueOf(SharedChain.TOPICS),
            "--measured",
            "10",
            "--duration",
            "2")) {
      Matcher measured =
          load.awaitLine(
              ".*\"event\":\"measured\".*\"frames\":(\\d+),\"lost\":(\\d+),\"repeated\":(\\d+),"
                  + "\"gaps\":(\\d+),\"clients\":(\\d+),.*\"p99Micros\".*");
      assertThat(Long.parseLong(measured.group(1)))
          .as("frames in 2 s")
          .isGreaterThan((long) CLIENTS * SharedChain.RATE);
      assertThat(List.of(measured.group(2), measured.group(3), measured.group(4)))
          .as("lost, repeated, gaps")
          .containsOnly("0");
      assertThat(measured.group(5)).as("measured clients").isEqualTo("10");
      assertThat(load.exitCode()).isZero();
    }
  }
}
