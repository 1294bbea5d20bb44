package io.sluice.gateway.broker.forward;

import io.sluice.gateway.hub.Sources;
import io.sluice.gateway.link.LinkChannel;
import io.sluice.gateway.link.LinkQueues;
import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.concurrent.Executor;

/** Queues and requests over the links of a node, as root and as leaf. For any thread. */
public final class ForwardQueues implements LinkQueues {
  private final ForwardOptions options;
  private final ForwardPools pools;
  private final GatewayMetrics metrics;

  /** Creates the queues of a node's links. */
  public static LinkQueues of(ForwardOptions options, GatewayMetrics metrics) {
    return new ForwardQueues(options, metrics);
  }

  private ForwardQueues(ForwardOptions options, GatewayMetrics metrics) {
    this.options = options;
    this.pools = new ForwardPools(options);
    this.metrics = metrics;
  }

  @Override
  public Root serve(LinkChannel leaf, Sources sources, Runnable onWaiting) {
    return new ServedLeaf(options, pools, leaf, sources, onWaiting);
  }

  @Override
  public Leaf newLeaf(Executor loop) {
    return new ForwardedQueues(loop, metrics);
  }
}
