package io.sluice.gateway.membership;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.gateway.metrics.MeterBuilder;
import io.sluice.gateway.metrics.TlsMeters;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/** Meters of the cluster, read from their source for each scrape. Any thread. */
public final class ClusterMeters {
  private final Supplier<ClusterFigures> figures;

  /** Registers the meters. */
  public ClusterMeters(MeterBuilder meters, Supplier<ClusterFigures> figures) {
    this.figures = figures;
    MeterRegistry registry = meters.registry();
    nodes(registry, "joining", ClusterFigures::joining);
    nodes(registry, "up", ClusterFigures::up);
    nodes(registry, "draining", ClusterFigures::draining);
    counter(
        registry,
        "messages.out",
        null,
        ClusterFigures::sent,
        "Messages sent to other nodes; a broadcast counts once.");
    counter(
        registry,
        "messages.out.bytes",
        "bytes",
        ClusterFigures::sentBytes,
        "Bytes of messages sent to other nodes, without headers and encryption.");
    counter(
        registry,
        "messages.malformed",
        null,
        ClusterFigures::malformed,
        "Messages of other nodes dropped because they were malformed.");
    counter(
        registry,
        "messages.dropped",
        null,
        ClusterFigures::dropped,
        "Messages of other nodes dropped because the receive queue was full.");
    counter(
        registry,
        "peers.refused",
        null,
        ClusterFigures::refused,
        "Connections between nodes, in either direction, rejected by peer authentication.");
    meters.gauge(
        "sluice.cluster.certificate.remaining",
        "Time until the earliest expiry in the node's certificate chain for other nodes; NaN"
            + " without one.",
        "seconds",
        () -> TlsMeters.secondsUntil(figures.get().certificateEndsMs()));
    meters.gauge(
        "sluice.cluster.certificate.outdated",
        "1 while the files of cluster.tls have changed and are unusable.",
        null,
        () -> figures.get().outdated() ? 1 : 0);
    meters.gauge(
        "sluice.cluster.topics.warm",
        "Topics that are open because clients of other nodes use them.",
        null,
        () -> figures.get().warmTopics());
    meters.gauge(
        "sluice.cluster.topics.left.out",
        "Topics in use in the cluster that are not open because of limits.per-node.topics or the"
            + " limit of 10,000 topics of other nodes.",
        null,
        () -> figures.get().leftOutTopics());
    counter(
        registry,
        "views",
        null,
        ClusterFigures::views,
        "Cluster views installed: the first one, and one for each change of the members.");
  }

  private void nodes(MeterRegistry registry, String state, ToIntFunction<ClusterFigures> count) {
    Gauge.builder("sluice.cluster.nodes", this, m -> count.applyAsInt(m.figures.get()))
        .strongReference(true)
        .tag("state", state)
        .description("Nodes of the cluster, including this one, by state.")
        .register(registry);
  }

  private void counter(
      MeterRegistry registry,
      String name,
      String unit,
      ToLongFunction<ClusterFigures> count,
      String meaning) {
    FunctionCounter.builder("sluice.cluster." + name, this, m -> count.applyAsLong(m.figures.get()))
        .description(meaning)
        .baseUnit(unit)
        .register(registry);
  }
}
