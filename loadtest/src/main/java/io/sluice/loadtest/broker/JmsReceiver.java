package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.price.PriceFiles;
import io.sluice.loadtest.broker.price.PriceRecorder;
import io.sluice.loadtest.broker.provider.BrokerTarget;
import io.sluice.loadtest.broker.result.MessageStep;
import io.sluice.loadtest.broker.workload.BrokerWorkload;
import io.sluice.loadtest.broker.workload.StampedPrice;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.io.IOException;

/** Consumer of the broker. Messages are delivered on the thread of its session. */
final class JmsReceiver implements Receiver {
  private final ReceivingSession session;
  private final BrokerWorkload workload;
  private final int destination;
  private final String subscription;
  private final TrialPhase phase;
  private final MessageConsumer consumer;
  private final Arrivals arrivals;
  private final Replier replier;
  private final PriceRecorder recorder;

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
      throws JMSException, IOException {
    this.session = session;
    this.workload = workload;
    this.arrivals = new Arrivals(run);
    this.destination = number % workload.destinations();
    this.subscription = "bench-" + Integer.toHexString(run) + "-" + number;
    this.phase = phase;
    this.consumer = consumer(session.session(), destinationName);
    this.replier = workload.replyTo() ? new Replier(session.session(), workload) : null;
    this.recorder = number == 0 ? recorder(workload.files()) : null;
    consumer.setMessageListener(this::onMessage);
  }

  private static PriceRecorder recorder(PriceFiles files) throws IOException {
    return files.recording() == null ? null : PriceRecorder.open(files.recording(), files.synced());
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
      StampedPrice content = workload.type().read(message);
      long decoded = System.nanoTime();
      if (recorder != null && content.price() != null) {
        recorder.append(content.price(), arrived);
        arrivals.times().record(MessageStep.RECORD, System.nanoTime() - decoded);
      }
      if (replier != null) {
        replier.reply(message, content);
      }
      session.acknowledge(message, arrivals.times());
      arrivals.add(content.stamp(), arrived, decoded);
    } catch (JMSException | IOException | RuntimeException e) {
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
  public void close() throws JMSException, IOException {
    session.finish();
    consumer.close();
    if (recorder != null) {
      recorder.close();
    }
    if (workload.durable()) {
      session.session().unsubscribe(subscription);
    }
  }
}
