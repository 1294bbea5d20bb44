package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.result.MessageStep;
import io.sluice.loadtest.broker.workload.BenchStamp;

/**
 * What has reached one consumer. One thread at a time adds to it; what is counted is for any
 * thread, the rest for whoever knows that nothing more comes.
 */
final class Arrivals {
  private final int run;
  private final Tally tally = new Tally();
  private final StepTimes times = new StepTimes();
  private volatile long received;
  private volatile long foreign;

  /** Of the messages of one run; those of others are foreign. */
  Arrivals(int run) {
    this.run = run;
  }

  /**
   * Takes a message.
   *
   * @param stamp what the message says of itself; null if nothing
   * @param arrived when it came, and {@code decoded} when it was read; {@link System#nanoTime}
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

  /** Messages of this run so far. */
  long received() {
    return received;
  }

  /** Messages that were not of this run. */
  long foreign() {
    return foreign;
  }

  /** What came. */
  Tally tally() {
    return tally;
  }

  /** What was timed. */
  StepTimes times() {
    return times;
  }
}
