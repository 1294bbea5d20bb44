package io.sluice.loadtest.plan;

import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import java.util.Locale;

/**
 * Message rate, payload size and topics of the clients. Immutable.
 *
 * @param rate messages a second for a client, which is that of a topic
 * @param payloadBytes of each message
 * @param topics among which the clients are dealt out
 */
public record ClientWorkload(double rate, double payloadBytes, double topics) {

  static ClientWorkload of(LoadProfile load) {
    return new ClientWorkload(load.rate(), load.payloadBytes(), load.topics());
  }

  String toText() {
    return String.format(
        Locale.ROOT, "%,.0f topics × %s/s × %,.0f B", topics, Text.number(rate), payloadBytes);
  }
}
