package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.provider.BrokerTarget;
import io.sluice.loadtest.broker.result.MessageStep;
import io.sluice.loadtest.broker.workload.BrokerWorkload;
import io.sluice.loadtest.broker.workload.Length;
import io.sluice.loadtest.broker.workload.Persistence;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Producers of a run, with their connections and threads. Used by the run's thread. */
final class Producers implements AutoCloseable {
  private final BrokerWorkload workload;
  private final List<Connection> connections = new ArrayList<>();
  private final List<Producer> producers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();

  private Producers(BrokerWorkload workload) {
    this.workload = workload;
  }

  static Producers open(
      BrokerTarget target,
      BrokerWorkload workload,
      Persistence delivery,
      Length length,
      int run,
      TrialPhase phase)
      throws Exception {
    Producers producers = new Producers(workload);
    try {
      producers.connect(target);
      producers.create(target, delivery, length, run, phase);
      return producers;
    } catch (Exception e) {
      producers.close();
      throw e;
    }
  }

  private void connect(BrokerTarget target) throws Exception {
    for (int i = 0; i < workload.connections(); i++) {
      Connection connection = target.connect(workload.transacted(), "");
      connections.add(connection);
      connection.start();
    }
  }

  private void create(
      BrokerTarget target, Persistence delivery, Length length, int run, TrialPhase phase)
      throws JMSException, IOException {
    List<Session> sessions = new ArrayList<>();
    for (int i = 0; i < workload.sessionsFor(workload.producers()); i++) {
      Connection connection = connections.get(i % connections.size());
      Session session = connection.createSession(workload.transacted(), Session.AUTO_ACKNOWLEDGE);
      sessions.add(session);
      producers.add(new Producer(session, workload, run, phase, length, workload.prices(i)));
    }
    for (int i = 0; i < workload.producers(); i++) {
      int session = i % sessions.size();
      String name = target.name(run, i % workload.destinations());
      producers.get(session).add(i, out(sessions.get(session), name, delivery));
    }
  }

  private MessageProducer out(Session session, String name, Persistence delivery)
      throws JMSException {
    MessageProducer out =
        session.createProducer(BrokerTarget.destination(session, workload.mode(), name));
    out.setDeliveryMode(delivery.mode());
    out.setPriority(workload.priority());
    return out;
  }

  void start() {
    for (Producer producer : producers) {
      Thread thread = new Thread(producer, "producer-" + threads.size());
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
  }

  void join() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** Returns whether all producers have ended. */
  boolean hasEnded() {
    return threads.stream().noneMatch(Thread::isAlive);
  }

  /** Returns the number of messages confirmed by the broker. */
  long confirmed() {
    return producers.stream().mapToLong(Producer::confirmed).sum();
  }

  /** Returns the number of deliveries to consumers that result from confirmed messages. */
  long deliveries() {
    return producers.stream().mapToLong(Producer::deliveries).sum();
  }

  void moveTimesTo(Map<MessageStep, Histogram> sums) {
    producers.forEach(producer -> producer.times().moveTo(sums));
  }

  void addSentTo(Map<Integer, Long> sent) {
    producers.forEach(producer -> producer.addSentTo(sent));
  }

  @Override
  public void close() throws JMSException {
    for (Connection connection : connections) {
      connection.close();
    }
  }
}
