package io.sluice.loadtest.plan;

import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import java.util.Locale;

/**
 * Message rate, payload size and topics of the clients. Immutable, for any thread.
 *
 * @param rate messages per second per client, equal to the rate of a topic
 * @param payloadBytes payload size of each message
 * @param topics number of topics over which clients are distributed
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
