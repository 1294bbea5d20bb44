package io.sluice.gateway.link;

import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.sluice.gateway.metrics.MeterBuilder;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Meters of the open links. Any thread. */
public final class LinkMeters {
  private static final double MILLIS = 1000.0;

  private final MultiGauge messages;
  private final MultiGauge age;

  /** Guarded by this. The latest link of a node counts. */
  private final Map<Tags, LinkLag> links = new LinkedHashMap<>();

  public LinkMeters(MeterBuilder meters) {
    messages =
        MultiGauge.builder("sluice.link.lag.messages")
            .description("Messages of a link that the root has not sent, by the other node.")
            .register(meters.registry());
    age =
        MultiGauge.builder("sluice.link.lag")
            .description("Time by which the leaf of a link is behind its root.")
            .baseUnit("seconds")
            .register(meters.registry());
  }

  /**
   * Adds a link.
   *
   * @param peer name of the other node
   * @param isRoot whether this node is the root
   */
  public synchronized void add(String peer, boolean isRoot, LinkLag lag) {
    links.put(tags(peer, isRoot), lag);
    register();
  }

  /** Removes a link. */
  synchronized void remove(LinkLag lag) {
    links.values().removeIf(each -> each == lag);
    register();
  }

  private static Tags tags(String peer, boolean isRoot) {
    return Tags.of("peer", peer, "as", isRoot ? "root" : "leaf");
  }

  private void register() {
    messages.register(rows(LinkLag::messages), true);
    age.register(rows(lag -> lag.ageMs() / MILLIS), true);
  }

  private Iterable<MultiGauge.Row<?>> rows(ToDoubleFunction<LinkLag> value) {
    return links.entrySet().stream()
        .<MultiGauge.Row<?>>map(each -> MultiGauge.Row.of(each.getKey(), each.getValue(), value))
        .toList();
  }
}
