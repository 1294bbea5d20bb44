package io.sluice.loadtest.plan;

import io.sluice.loadtest.result.Load;
import java.util.Locale;

/**
 * What each client gets. Immutable.
 *
 * @param rate messages a second for a client, which is that of a topic
 * @param payloadBytes of each message
 * @param topics among which the clients are dealt out
 */
public record Workload(double rate, double payloadBytes, double topics) {

  static Workload of(Load load) {
    return new Workload(load.rate(), load.payloadBytes(), load.topics());
  }

  String toText() {
    return String.format(
        Locale.ROOT, "%,.0f topics × %s/s × %,.0f B", topics, Text.number(rate), payloadBytes);
  }
}
