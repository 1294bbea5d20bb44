package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.result.MessageStep;
import io.sluice.loadtest.broker.workload.Acknowledge;
import io.sluice.loadtest.broker.workload.BrokerWorkload;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Session;

/** A session of consumers, and what it has not told the broker yet. For the session's thread. */
final class ReceivingSession {
  private final Session session;
  private final BrokerWorkload workload;
  private int open;

  ReceivingSession(Session session, BrokerWorkload workload) {
    this.session = session;
    this.workload = workload;
  }

  Session session() {
    return session;
  }

  /** Acknowledges a message, where the JMS client does not do so by itself. */
  void acknowledge(Message message, StepTimes times) throws JMSException {
    long begun = System.nanoTime();
    if (workload.transacted()) {
      if (++open < workload.transaction()) {
        return;
      }
      session.commit();
      open = 0;
    } else if (workload.acknowledge() == Acknowledge.CLIENT) {
      message.acknowledge();
    } else {
      return;
    }
    times.record(MessageStep.ACKNOWLEDGE, System.nanoTime() - begun);
  }

  /** Ends a transaction that is not full, once its connection is stopped. */
  void finish() throws JMSException {
    if (open > 0) {
      session.commit();
      open = 0;
    }
  }
}
