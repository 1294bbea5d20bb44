package io.sluice.loadtest;

import io.sluice.loadtest.result.Latencies;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** What the clients that came and went in one run have seen. For any thread. */
final class Visitors {
  private static final int DIGITS = 3;

  private final Histogram connectMicros = new Histogram(DIGITS);
  private long came;
  private long failed;
  private long received;
  private long lost;
  private long repeated;
  private long reordered;
  private long gaps;

  /**
   * Adds one that has gone.
   *
   * @param complete whether it got its subscription, and stayed to its end
   */
  synchronized void add(ClientStream visitor, boolean complete) {
    came++;
    failed += complete ? 0 : 1;
    received += visitor.sequence().received();
    lost += visitor.sequence().lost();
    repeated += visitor.sequence().duplicates();
    reordered += visitor.sequence().reordered();
    gaps += visitor.gapUnixNanos().size();
    if (visitor.connectMicros() >= 0) {
      connectMicros.recordValue(visitor.connectMicros());
    }
  }

  /** A gap was told to one of them. */
  synchronized void onGap() {
    gaps++;
  }

  synchronized long came() {
    return came;
  }

  synchronized long failed() {
    return failed;
  }

  /** Everything that they should have had once and in order, and had not. */
  synchronized long flaws() {
    return lost + repeated + reordered + gaps;
  }

  /** From the start of a connection to its subscription's answer; null if there was none. */
  synchronized Latencies connects() {
    return connectMicros.getTotalCount() == 0
        ? null
        : Latencies.of(connectMicros, 0, connectMicros.getMinValue());
  }

  synchronized String toText() {
    return String.format(
        Locale.ROOT,
        "%d came and went, %d of them failed; %d messages to them, %d lost, %d twice,"
            + " %d out of order, %d gaps told",
        came,
        failed,
        received,
        lost,
        repeated,
        reordered,
        gaps);
  }
}
