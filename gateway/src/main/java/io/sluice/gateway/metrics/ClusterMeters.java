package io.sluice.gateway.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/** Shows what a node knows of its cluster, read when somebody looks. For any thread. */
public final class ClusterMeters {
  private volatile Supplier<ClusterFigures> figures = () -> ClusterFigures.NONE;

  ClusterMeters(MeterRegistry registry) {
    nodes(registry, "joining", ClusterFigures::joining);
    nodes(registry, "up", ClusterFigures::up);
    nodes(registry, "draining", ClusterFigures::draining);
    counter(
        registry,
        "messages.out",
        null,
        ClusterFigures::told,
        "Messages that were sent to other nodes; one to all of them counts once.");
    counter(
        registry,
        "messages.out.bytes",
        "bytes",
        ClusterFigures::toldBytes,
        "Bytes of the messages that were sent to other nodes, before headers and encryption.");
    counter(
        registry,
        "messages.malformed",
        null,
        ClusterFigures::malformed,
        "Messages of other nodes that were not understood.");
    counter(
        registry,
        "messages.dropped",
        null,
        ClusterFigures::dropped,
        "Messages of other nodes that came faster than they were read.");
    counter(
        registry,
        "peers.refused",
        null,
        ClusterFigures::refused,
        "Connections to the cluster's port without the right secret or certificate.");
    Gauge.builder("sluice.cluster.certificate.remaining", this, ClusterMeters::remainingSeconds)
        .strongReference(true)
        .baseUnit("seconds")
        .description(
            "Until the first certificate that the node shows to other nodes ends; NaN without one.")
        .register(registry);
    Gauge.builder("sluice.cluster.certificate.outdated", this, ClusterMeters::outdated)
        .strongReference(true)
        .description("1 while the files of cluster.tls have changed to what cannot be used.")
        .register(registry);
    gauge(
        registry,
        "topics.warm",
        ClusterFigures::warmTopics,
        "Topics that are kept open because clients of other nodes use them.");
    gauge(
        registry,
        "topics.left.out",
        ClusterFigures::leftOutTopics,
        "Topics in use on this node or others that are not kept open because of"
            + " limits.per-node.topics or the limit of 10,000 topics of other nodes.");
    counter(registry, "views", null, ClusterFigures::views, "Times that other nodes came or went.");
  }

  private double remainingSeconds() {
    return TlsMeters.secondsUntil(figures.get().certificateEndsMs());
  }

  private double outdated() {
    return figures.get().outdated() ? 1 : 0;
  }

  /** Where to read them from now on. */
  public void source(Supplier<ClusterFigures> source) {
    figures = source;
  }

  private void nodes(MeterRegistry registry, String state, ToIntFunction<ClusterFigures> count) {
    Gauge.builder("sluice.cluster.nodes", this, m -> count.applyAsInt(m.figures.get()))
        .strongReference(true)
        .tag("state", state)
        .description("Nodes of the cluster that this one knows, itself included.")
        .register(registry);
  }

  private void gauge(
      MeterRegistry registry, String name, ToIntFunction<ClusterFigures> size, String meaning) {
    Gauge.builder("sluice.cluster." + name, this, m -> size.applyAsInt(m.figures.get()))
        .strongReference(true)
        .description(meaning)
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
