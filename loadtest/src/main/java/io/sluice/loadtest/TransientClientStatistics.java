package io.sluice.loadtest;

import io.sluice.loadtest.result.Latencies;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** Statistics of the clients that connected and disconnected within one run. For any thread. */
final class TransientClientStatistics {
  private static final int DIGITS = 3;

  private final Histogram connectMicros = new Histogram(DIGITS);
  private long ended;
  private long failed;
  private long received;
  private long lost;
  private long repeated;
  private long reordered;
  private long gaps;

  /**
   * Adds a client that has disconnected.
   *
   * @param complete whether it was subscribed and stayed until its scheduled end
   */
  synchronized void add(ClientStream client, boolean complete) {
    ended++;
    failed += complete ? 0 : 1;
    received += client.sequence().received();
    lost += client.sequence().lost();
    repeated += client.sequence().duplicates();
    reordered += client.sequence().reordered();
    gaps += client.gapUnixNanos().size();
    if (client.connectMicros() >= 0) {
      connectMicros.recordValue(client.connectMicros());
    }
  }

  /** Counts a gap sent to one of the clients. */
  synchronized void onGap() {
    gaps++;
  }

  synchronized long ended() {
    return ended;
  }

  synchronized long failed() {
    return failed;
  }

  /** Returns the number of deviations from delivery once and in order. */
  synchronized long faults() {
    return lost + repeated + reordered + gaps;
  }

  /**
   * Returns the times from the start of a connection to its subscription's confirmation, or null
   * without any.
   */
  synchronized Latencies connects() {
    return connectMicros.getTotalCount() == 0
        ? null
        : Latencies.of(connectMicros, 0, connectMicros.getMinValue());
  }

  synchronized String toText() {
    return String.format(
        Locale.ROOT,
        "%d connected and disconnected, %d of them failed; %d messages received, %d lost, %d"
            + " duplicates, %d out of order, %d gaps reported",
        ended,
        failed,
        received,
        lost,
        repeated,
        reordered,
        gaps);
  }
}
