package io.sluice.gateway.http;

import io.netty.channel.EventLoop;
import io.sluice.gateway.admission.NodeAdmission;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.metrics.GatewayMetrics;

/** Loops without a port, for tests that put connections into them. */
final class TestLoops {
  private TestLoops() {}

  /** One of a node with the default limits, which does not sweep yet. */
  static LoopState newLoop(
      EventLoop thread, int index, GatewayMetrics metrics, NodeAdmission node) {
    Config config = Config.defaults();
    return new LoopState(thread, index, TransportLimits.of(config), metrics, node, null);
  }
}
