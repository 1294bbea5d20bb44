package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.result.MessageStep;
import io.sluice.loadtest.broker.workload.BenchStamp;

/**
 * Messages received by one consumer. One thread at a time adds messages. Any thread may read the
 * counters; the tally may be read after the last message.
 */
final class Arrivals {
  private final int run;
  private final Tally tally = new Tally();
  private final StepTimes times = new StepTimes();
  private volatile long received;
  private volatile long foreign;

  /** Creates the arrivals of one run. Messages of other runs are foreign. */
  Arrivals(int run) {
    this.run = run;
  }

  /**
   * Adds a message.
   *
   * @param stamp stamp of the message, or null
   * @param arrived time of receipt, by {@link System#nanoTime}
   * @param decoded time at which it was decoded, by {@link System#nanoTime}
   */
  void add(BenchStamp stamp, long arrived, long decoded) {
    if (stamp == null || stamp.run() != run) {
      foreign = foreign + 1;
      return;
    }
    times.record(MessageStep.ARRIVE, arrived - stamp.nanos());
    times.record(MessageStep.DECODE, decoded - arrived);
    times.record(MessageStep.LATENCY, decoded - stamp.nanos());
    tally.add(stamp.producer(), stamp.number());
    received = received + 1;
  }

  /** Returns the number of messages of this run so far. */
  long received() {
    return received;
  }

  /** Returns the number of messages of other runs. */
  long foreign() {
    return foreign;
  }

  /** Returns the received sequence numbers. */
  Tally tally() {
    return tally;
  }

  /** Returns the recorded durations. */
  StepTimes times() {
    return times;
  }
}
