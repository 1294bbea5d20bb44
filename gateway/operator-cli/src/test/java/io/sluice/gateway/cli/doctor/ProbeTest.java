package io.sluice.gateway.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProbeTest {
  private final Probe probe = new Probe("open.1", null);
  private final WebSocket socket = socket();

  /** Returns a socket without a connection. */
  private static WebSocket socket() {
    return (WebSocket)
        Proxy.newProxyInstance(
            WebSocket.class.getClassLoader(),
            new Class<?>[] {WebSocket.class},
            (self, method, arguments) -> null);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "welcome\u0007 to chat | received \"welcome? to chat\", which is not a frame of the Sluice"
            + " protocol; expected the WebSocket endpoint of a node, such as wss://host/ws",
        "{\"type\":\"error\",\"code\":\"forbidden\",\"message\":\"no\"} | the node sent error"
            + " forbidden: no",
      })
  void shouldFailWithTheFrame(String frame, String message) {
    probe.onText(socket, frame, true);

    assertFailure(message);
  }

  private void assertFailure(String message) {
    assertThat(probe.node())
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .havingCause()
        .withMessage(message);
  }

  @Test
  void shouldFailWithTheCloseCode() {
    probe.onClose(socket, 4200, "unauthorized");

    assertFailure("the server closed the connection with code 4200 (unauthorized)");
  }

  @Test
  void shouldReportItsProgress() {
    assertThat(probe.progress()).isEqualTo("no frame hello received");
    probe.onText(socket, "{\"type\":\"hello\",\"node\":\"gw-1\",\"broker\":\"down\"}", true);
    assertThat(probe.progress())
        .isEqualTo(
            "node gw-1 has not confirmed the subscription, because it is not connected to its"
                + " broker");
  }
}
