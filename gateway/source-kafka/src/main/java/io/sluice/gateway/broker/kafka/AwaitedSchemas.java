package io.sluice.gateway.broker.kafka;

import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.HashSet;
import java.util.Set;

/**
 * Kafka topics whose records wait, because the registry does not provide a schema: new ones, or
 * those of a snapshot. Any thread.
 */
final class AwaitedSchemas {
  private final GatewayMetrics metrics;

  // Guarded by this.
  private Set<String> live = Set.of();
  private final Set<String> snapshots = new HashSet<>();

  private volatile Set<String> all = Set.of();

  AwaitedSchemas(GatewayMetrics metrics) {
    this.metrics = metrics;
  }

  /** Sets the topics with new records that wait. */
  synchronized void onLive(Set<String> topics) {
    live = topics;
    update();
  }

  /** Sets whether a snapshot of a topic waits. */
  synchronized void onSnapshot(String topic, boolean waits) {
    if (waits ? snapshots.add(topic) : snapshots.remove(topic)) {
      update();
    }
  }

  private void update() {
    Set<String> next = new HashSet<>(live);
    next.addAll(snapshots);
    metrics.schemaTopicsWaiting(next.size() - all.size());
    all = Set.copyOf(next);
  }

  /** Returns why a topic waits; empty if it does not. */
  String of(String topic) {
    return all.contains(topic) ? "its messages wait: " + RecordReader.NO_SCHEMA : "";
  }

  /** Returns how many topics wait; empty for none. */
  String summary() {
    int topics = all.size();
    return topics == 0
        ? ""
        : (topics == 1 ? "1 topic waits" : topics + " topics wait") + " for the schema registry";
  }
}
