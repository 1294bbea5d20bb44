package io.sluice.gateway.transport;

import io.netty.channel.EventLoop;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.concurrent.atomic.AtomicInteger;

/** Loops without a port, for tests that put connections into them. */
final class TestLoops {
  private TestLoops() {}

  /** One of a node with the default limits, which does not sweep yet. */
  static LoopConnections newLoop(
      EventLoop thread, int index, GatewayMetrics metrics, AtomicInteger nodeConnections) {
    Config config = Config.defaults();
    TransportLimits limits = TransportLimits.of(config);
    HalfOpenPlaces places = new HalfOpenPlaces(config, metrics);
    return new LoopConnections(
        thread,
        index,
        limits,
        metrics,
        nodeConnections,
        new AddressShares(config, metrics),
        new PendingHandshakes(metrics, limits, null, null, places));
  }
}
