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
  void shouldTakeTheMiddleOfTheRoundTripForTheGatewaysMoment() {
    // 4 ms there and back; its clock shows 1 s more, and some part of a millisecond.
    ClockOffset clock = ClockProbe.offset(SENT, SENT + 4_000_000, 1_763_700_001_002L);

    assertThat(clock.offsetMicros()).isCloseTo(1_000_500, within(1.0));
    assertThat(clock.uncertaintyMicros()).isEqualTo(3000);
  }

  @Test
  void shouldSayThatNobodyListens() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      port = free.getLocalPort();
    }
    GatewayTarget target =
        new GatewayTarget("ws://127.0.0.1:" + port + "/ws", true, "", Optional.empty());

    assertThatThrownBy(() -> ClockProbe.ask(target, Duration.ofSeconds(30)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("takes no WebSocket");
  }
}
