package io.sluice.loadtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.loadtest.result.Measurement.ClockOffset;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ClockProbeTest {
  private static final long SENT = 1_763_700_000_000_000_000L;

  @Test
  void shouldUseMiddleOfRoundTrip() {
    // A round trip of 4 ms; the gateway's clock is 1 s ahead, plus a fraction of a millisecond.
    ClockOffset clock = ClockProbe.offset(SENT, SENT + 4_000_000, 1_763_700_001_002L);

    assertThat(clock.offsetMicros()).isCloseTo(1_000_500, within(1.0));
    assertThat(clock.uncertaintyMicros()).isEqualTo(3000);
  }

  @Test
  void shouldReportRefusedConnection() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      port = free.getLocalPort();
    }
    GatewayTarget target =
        new GatewayTarget("ws://127.0.0.1:" + port + "/ws", true, "", Optional.empty(), false);

    assertThatThrownBy(() -> ClockProbe.probe(target, Duration.ofSeconds(30)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("did not accept a WebSocket");
  }
}
