package io.sluice.loadtest.report;

import io.sluice.loadtest.result.Latencies;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import java.util.function.Function;

/** Start of a latency. Immutable, for any thread. */
public enum Since {
  /** From the time at which the message was due, even if the publisher sent it later. */
  DUE("since due", ClientResult::sinceDue),
  /** From the time at which the broker accepted the message. */
  BROKER("since the broker", ClientResult::sinceBroker);

  private final String label;
  private final Function<ClientResult, Latencies> latencies;

  Since(String label, Function<ClientResult, Latencies> latencies) {
    this.label = label;
    this.latencies = latencies;
  }

  /** Returns the label. */
  public String label() {
    return label;
  }

  /** Returns the latencies of a client, or null if they were not measured. */
  public Latencies of(ClientResult client) {
    return latencies.apply(client);
  }
}
