package io.sluice.loadtest.broker;

import jakarta.jms.JMSException;

/** One consumer, of the broker or of a gateway. Closed by the thread that made it. */
interface Receiver {
  /** The destination that it listens to. */
  int destination();

  /** Messages of this run so far. Any thread. */
  long received();

  /** Messages that were not of this run. Any thread. */
  long foreign();

  /** What came; once nothing more does. */
  Tally tally();

  /** What it has timed. */
  StepTimes times();

  /** Ends it, and what the broker keeps for it. */
  void close() throws JMSException;
}
