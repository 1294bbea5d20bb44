package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.result.MessageStep;
import io.sluice.loadtest.broker.workload.Acknowledge;
import io.sluice.loadtest.broker.workload.BrokerWorkload;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Session;

/** JMS session of consumers, with its open transaction. Bound to the session's thread. */
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

  /** Acknowledges a message, unless the JMS client does so automatically. */
  void acknowledge(Message message, StepTimes times) throws JMSException {
    long startNs = System.nanoTime();
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
    times.record(MessageStep.ACKNOWLEDGE, System.nanoTime() - startNs);
  }

  /** Commits an incomplete transaction. Called after its connection is stopped. */
  void finish() throws JMSException {
    if (open > 0) {
      session.commit();
      open = 0;
    }
  }
}
