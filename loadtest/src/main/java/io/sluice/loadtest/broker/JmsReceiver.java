package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.provider.BrokerTarget;
import io.sluice.loadtest.broker.workload.BenchStamp;
import io.sluice.loadtest.broker.workload.BrokerWorkload;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.Topic;

/** Consumer of the broker. Messages are delivered on the thread of its session. */
final class JmsReceiver implements Receiver {
  private final ReceivingSession session;
  private final BrokerWorkload workload;
  private final int destination;
  private final String subscription;
  private final TrialPhase phase;
  private final MessageConsumer consumer;
  private final Arrivals arrivals;

  /**
   * Creates a consumer, which receives messages once its connection is started.
   *
   * @param number of the consumer, from 0
   */
  JmsReceiver(
      ReceivingSession session,
      BrokerWorkload workload,
      int run,
      int number,
      String destinationName,
      TrialPhase phase)
      throws JMSException {
    this.session = session;
    this.workload = workload;
    this.arrivals = new Arrivals(run);
    this.destination = number % workload.destinations();
    this.subscription = "bench-" + Integer.toHexString(run) + "-" + number;
    this.phase = phase;
    this.consumer = consumer(session.session(), destinationName);
    consumer.setMessageListener(this::onMessage);
  }

  private MessageConsumer consumer(Session jms, String name) throws JMSException {
    var from = BrokerTarget.destination(jms, workload.mode(), name);
    String selector = workload.selector().isEmpty() ? null : workload.selector();
    return workload.durable()
        ? jms.createDurableSubscriber((Topic) from, subscription, selector, false)
        : jms.createConsumer(from, selector);
  }

  private void onMessage(Message message) {
    long arrived = System.nanoTime();
    try {
      BenchStamp stamp = BenchStamp.read(workload.type().read(message), 0);
      long decoded = System.nanoTime();
      session.acknowledge(message, arrivals.times());
      arrivals.add(stamp, arrived, decoded);
    } catch (JMSException | RuntimeException e) {
      phase.fail(e);
    }
  }

  @Override
  public int destination() {
    return destination;
  }

  @Override
  public Arrivals arrivals() {
    return arrivals;
  }

  @Override
  public void close() throws JMSException {
    session.finish();
    consumer.close();
    if (workload.durable()) {
      session.session().unsubscribe(subscription);
    }
  }
}
