package io.sluice.gateway.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import java.net.SocketAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class PendingHandshakesTest {
  private final Exposition exposition = new Exposition("handshakes-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  /** As a channel of NIO whose client went before the event loop had its turn. */
  private static final class Gone extends EmbeddedChannel {
    @Override
    protected SocketAddress remoteAddress0() {
      return null;
    }
  }

  @Test
  void shouldCloseAConnectionThatHasNoOtherEndAnyMore() {
    TransportLimits limits = TransportLimits.of(Config.defaults());
    List<AddressRange> anybody = AddressRange.parse("0.0.0.0/0").stream().toList();
    for (List<AddressRange> proxies : List.of(List.<AddressRange>of(), anybody)) {
      PendingHandshakes handshakes = new PendingHandshakes(metrics, limits, proxies, null);
      Gone channel = new Gone();
      handshakes.add(channel, 0);
      assertThat(channel.isOpen()).isFalse();
    }
  }
}
