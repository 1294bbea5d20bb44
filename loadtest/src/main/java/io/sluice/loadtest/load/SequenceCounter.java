package io.sluice.loadtest.load;

import io.netty.buffer.ByteBuf;
import io.sluice.loadtest.load.frame.PayloadCheck;
import io.sluice.loadtest.load.frame.PayloadStamp;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Check of the sequence numbers that the clients of one event loop receive, and their latencies.
 * Bound to that event loop.
 *
 * <p>Latency is open-loop: from the time at which the message was due, its stamp, to its receipt.
 */
final class SequenceCounter {
  private static final int NANOS_PER_MICRO = 1000;

  private final Counters counters;
  private final PayloadStamp stamp = new PayloadStamp();
  private boolean recording;

  SequenceCounter(Counters counters) {
    this.counters = counters;
  }

  /** Starts or ends the recording of latencies. */
  void record(boolean on) {
    recording = on;
  }

  /**
   * Handles the beginning of a message.
   *
   * @param before sequence number of the client's previous message, or {@link PayloadCheck#NONE}
   * @param latencies of the client in microseconds, or null if it is not measured
   * @return the highest sequence number
   */
  long onMessage(long before, Histogram latencies, ByteBuf bytes, int start, int count) {
    if (!stamp.read(bytes, start, count)) {
      return before;
    }
    if (recording && latencies != null) {
      latencies.recordValue(Math.max(0, (unixNanos() - stamp.unixNanos()) / NANOS_PER_MICRO));
    }
    long number = stamp.sequence();
    if (before != PayloadCheck.NONE && number > before + 1) {
      counters.lost += number - before - 1;
    } else if (number <= before) {
      counters.repeated++;
    }
    return Math.max(before, number);
  }

  static long unixNanos() {
    Instant now = Instant.now();
    return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
  }
}
