package io.sluice.loadtest.report;

import io.sluice.loadtest.result.Latencies;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import java.util.function.Function;

/** From when on a latency counts. */
public enum Since {
  /** The publisher sent the message. */
  SENT("since sent", ClientResult::sinceSent),
  /** The broker took the message. */
  BROKER("since the broker", ClientResult::sinceBroker);

  private final String label;
  private final Function<ClientResult, Latencies> latencies;

  Since(String label, Function<ClientResult, Latencies> latencies) {
    this.label = label;
    this.latencies = latencies;
  }

  /** What people call it. */
  public String label() {
    return label;
  }

  /** The latencies of a client; null if they were not measured. */
  public Latencies of(ClientResult client) {
    return latencies.apply(client);
  }
}
