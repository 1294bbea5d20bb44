package io.sluice.gateway.http;

import io.netty.channel.EventLoop;
import io.sluice.gateway.admission.ClientAddresses;
import io.sluice.gateway.admission.HandshakeQuota;
import io.sluice.gateway.admission.PendingHandshakes;
import io.sluice.gateway.admission.RefusalLog;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.limits.QuotaLimits;
import io.sluice.gateway.metrics.GatewayMetrics;

/** Event loops without a port, to which tests add connections. */
final class TestLoops {
  private TestLoops() {}

  /** Returns the state of a loop with the default limits, not started. */
  static LoopState newLoop(EventLoop thread, int index, GatewayMetrics metrics) {
    Config config = Config.defaults();
    TransportLimits limits = TransportLimits.of(config);
    PendingHandshakes handshakes =
        new PendingHandshakes(
            new RefusalLog(metrics, System::nanoTime),
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
