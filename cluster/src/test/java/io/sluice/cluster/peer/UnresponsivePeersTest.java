package io.sluice.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class UnresponsivePeersTest {
  private static final SocketAddress ONE = new InetSocketAddress("127.0.0.1", 1);
  private static final SocketAddress OTHER = new InetSocketAddress("127.0.0.1", 2);

  private long now = Long.MAX_VALUE;

  @Test
  void shouldSkipAnAddressForAWhile() {
    UnresponsivePeers hanging = new UnresponsivePeers(() -> now);
    hanging.add(ONE);
    now += Duration.ofSeconds(7).toNanos();
    assertThat(hanging.has(ONE)).isTrue();
    assertThat(hanging.has(OTHER)).isFalse();
    now += Duration.ofSeconds(1).toNanos();
    assertThat(hanging.has(ONE)).isFalse();
  }
}
