package io.sluice.loadtest.broker;

import jakarta.jms.JMSException;
import java.io.IOException;

/** Consumer of the broker or a gateway. The thread that created it closes it. */
interface Receiver {
  /** Returns the number of its destination. */
  int destination();

  /** Returns the received messages. */
  Arrivals arrivals();

  /** Closes the consumer and deletes its durable subscription. */
  void close() throws JMSException, IOException;
}
