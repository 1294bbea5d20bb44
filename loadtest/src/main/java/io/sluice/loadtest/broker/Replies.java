package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.result.MessageStep;
import io.sluice.loadtest.broker.workload.BenchStamp;
import io.sluice.loadtest.broker.workload.BrokerWorkload;
import io.sluice.loadtest.broker.workload.Length;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;

/** Temporary queue on which one producer receives replies. Bound to the thread of its session. */
final class Replies {
  private final TemporaryQueue queue;
  private final MessageConsumer consumer;
  private final BrokerWorkload workload;
  private final Length length;

  Replies(Session session, BrokerWorkload workload, Length length) throws JMSException {
    this.queue = session.createTemporaryQueue();
    this.consumer = session.createConsumer(queue);
    this.workload = workload;
    this.length = length;
  }

  /** Sets the queue as the destination of a request's reply. */
  void addressTo(Message request) throws JMSException {
    request.setJMSReplyTo(queue);
  }

  /**
   * Waits for the reply to a request.
   *
   * @throws JMSException if none arrives in time, or that of another request
   */
  void await(BenchStamp request, StepTimes times) throws JMSException {
    Message reply = consumer.receive(length.patience().toMillis());
    if (reply == null) {
      throw new JMSException(
          "no reply to request %d of producer %d within %.1f s (--patience)"
              .formatted(
                  request.number(), request.producer(), length.patience().toMillis() / 1000.0));
    }
    BenchStamp stamp = workload.type().read(reply).stamp();
    if (!request.equals(stamp)) {
      throw new JMSException(
          "reply " + stamp + " to request " + request + ": expected equal stamps");
    }
    times.record(MessageStep.REPLY, System.nanoTime() - request.nanos());
  }
}
