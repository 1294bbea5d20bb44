package io.sluice.gateway.membership;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.sluice.cluster.ClusterCounts;
import io.sluice.cluster.Node;
import io.sluice.cluster.NodeState;
import io.sluice.gateway.metrics.MeterBuilder;
import io.sluice.gateway.metrics.TlsMeters;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** Meters of the cluster, read from their sources for each scrape. Any thread. */
public final class ClusterMeters {
  private final MeterBuilder meters;
  private final Supplier<List<Node>> nodes;
  private final Supplier<ClusterCounts> counts;

  /**
   * Registers the meters.
   *
   * @param nodes of the cluster, including this one
   * @param certificateEndsMs earliest expiry in the certificate chain for other nodes, in
   *     milliseconds since 1970; 0 if there is none
   * @param outdated whether the certificate files have changed and are unusable
   * @param warmTopics number of topics that are open for clients of other nodes
   * @param leftOutTopics number of topics in use in the cluster that exceed a limit
   */
  public ClusterMeters(
      MeterBuilder meters,
      Supplier<List<Node>> nodes,
      Supplier<ClusterCounts> counts,
      LongSupplier certificateEndsMs,
      BooleanSupplier outdated,
      IntSupplier warmTopics,
      IntSupplier leftOutTopics) {
    this.meters = meters;
    this.nodes = nodes;
    this.counts = counts;
    nodes("joining", NodeState::isNotReady);
    nodes("up", NodeState.UP::equals);
    nodes("draining", NodeState.DRAINING::equals);
    counter(
        "messages.out",
        null,
        ClusterCounts::sent,
        "Messages sent to other nodes; a broadcast counts once.");
    counter(
        "messages.out.bytes",
        "bytes",
        ClusterCounts::sentBytes,
        "Bytes of messages sent to other nodes, without headers and encryption.");
    counter(
        "messages.malformed",
        null,
        ClusterCounts::malformed,
        "Messages of other nodes dropped because they were malformed.");
    counter(
        "messages.dropped",
        null,
        ClusterCounts::dropped,
        "Messages of other nodes dropped because the receive queue was full.");
    counter(
        "peers.refused",
        null,
        ClusterCounts::refused,
        "Connections between nodes, in either direction, rejected by peer authentication.");
    counter(
        "views",
        null,
        ClusterCounts::views,
        "Cluster views installed: the first one, and one for each change of the members.");
    meters.gauge(
        "sluice.cluster.certificate.remaining",
        "Time until the earliest expiry in the node's certificate chain for other nodes; NaN"
            + " without one.",
        "seconds",
        () -> TlsMeters.secondsUntil(certificateEndsMs.getAsLong()));
    meters.gauge(
        "sluice.cluster.certificate.outdated",
        "1 while the files of cluster.tls have changed and are unusable.",
        null,
        () -> outdated.getAsBoolean() ? 1 : 0);
    meters.gauge(
        "sluice.cluster.topics.warm",
        "Topics that are open because clients of other nodes use them.",
        null,
        warmTopics::getAsInt);
    meters.gauge(
        "sluice.cluster.topics.left.out",
        "Topics in use in the cluster that are not open because of limits.per-node.topics or the"
            + " limit of 10,000 topics of other nodes.",
        null,
        leftOutTopics::getAsInt);
  }

  private void nodes(String state, Predicate<NodeState> matches) {
    Gauge.builder("sluice.cluster.nodes", this, meters -> meters.count(matches))
        .strongReference(true) // also for the counters
        .tag("state", state)
        .description("Nodes of the cluster, including this one, by state.")
        .register(meters.registry());
  }

  private long count(Predicate<NodeState> matches) {
    return nodes.get().stream().map(Node::state).filter(matches).count();
  }

  private void counter(
      String name, String unit, ToLongFunction<ClusterCounts> count, String meaning) {
    FunctionCounter.builder("sluice.cluster." + name, this, m -> count.applyAsLong(m.counts.get()))
        .description(meaning)
        .baseUnit(unit)
        .register(meters.registry());
  }
}
