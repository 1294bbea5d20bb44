package io.sluice.loadtest.broker;

import jakarta.jms.JMSException;

/** One consumer, of the broker or of a gateway. Closed by the thread that made it. */
interface Receiver {
  /** The destination that it listens to. */
  int destination();

  /** What has come. */
  Arrivals arrivals();

  /** Ends it, and what the broker keeps for it. */
  void close() throws JMSException;
}
