package io.sluice.gateway.http;

import io.netty.channel.EventLoop;
import io.sluice.gateway.admission.ClientAddresses;
import io.sluice.gateway.admission.HandshakeQuota;
import io.sluice.gateway.admission.PendingHandshakes;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.limits.QuotaLimits;
import io.sluice.gateway.metrics.GatewayMetrics;

/** Loops without a port, for tests that put connections into them. */
final class TestLoops {
  private TestLoops() {}

  /** One of a node with the default limits, which does not sweep yet. */
  static LoopState newLoop(EventLoop thread, int index, GatewayMetrics metrics) {
    Config config = Config.defaults();
    TransportLimits limits = TransportLimits.of(config);
    PendingHandshakes handshakes =
        new PendingHandshakes(
            metrics,
            limits.handshakeMs(),
            limits.maxHandshakes(),
            null,
            null,
            new HandshakeQuota(
                new ClientAddresses(ClientAddresses.Options.of(config)),
                QuotaLimits.ofAddress(config).connections(),
                metrics));
    return new LoopState(thread, index, limits, metrics, handshakes);
  }
}
