package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.provider.BrokerTarget;
import io.sluice.loadtest.broker.result.MessageStep;
import io.sluice.loadtest.broker.workload.BrokerWorkload;
import io.sluice.loadtest.broker.workload.Mode;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import java.io.IOException;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Consumers of a run, with their connections. Used by the run's thread. */
final class Receivers implements AutoCloseable {
  private final BrokerWorkload workload;
  private final List<Connection> connections = new ArrayList<>();
  private final List<Receiver> receivers = new ArrayList<>();
  private boolean finished;

  private Receivers(BrokerWorkload workload) {
    this.workload = workload;
  }

  /**
   * Creates the consumers. When this returns, each of them receives all messages sent afterwards.
   */
  static Receivers open(BrokerTarget target, BrokerWorkload workload, int run, TrialPhase phase)
      throws Exception {
    Receivers receivers = new Receivers(workload);
    try {
      if (target.gateway() == null) {
        receivers.consume(target, run, phase);
      } else {
        receivers.subscribe(target, run, phase);
      }
      return receivers;
    } catch (Exception e) {
      receivers.close();
      throw e;
    }
  }

  private void consume(BrokerTarget target, int run, TrialPhase phase) throws Exception {
    for (int i = 0; i < workload.connections(); i++) {
      String id =
          i == 0 || target.clientId().isEmpty() ? target.clientId() : target.clientId() + "-" + i;
      connections.add(target.connect(workload.transacted(), id));
    }
    List<ReceivingSession> sessions = new ArrayList<>();
    for (int i = 0; i < workload.sessionsFor(workload.consumers()); i++) {
      Connection connection = connections.get(i % connections.size());
      Session session =
          connection.createSession(workload.transacted(), workload.acknowledge().mode());
      sessions.add(new ReceivingSession(session, workload));
    }
    for (int i = 0; i < workload.consumers(); i++) {
      String name = target.name(run, i % workload.destinations());
      ReceivingSession session = sessions.get(i % sessions.size());
      receivers.add(new JmsReceiver(session, workload, run, i, name, phase));
    }
    for (Connection connection : connections) {
      connection.start();
    }
  }

  private void subscribe(BrokerTarget target, int run, TrialPhase phase) throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    for (int i = 0; i < workload.consumers(); i++) {
      int destination = i % workload.destinations();
      String topic = target.name(run, destination);
      receivers.add(
          GatewayReceiver.open(
              client, target.gateway(), topic, workload.type(), run, destination, phase));
    }
  }

  /** Returns the number of deliveries of this run so far. */
  long received() {
    return receivers.stream().map(Receiver::arrivals).mapToLong(Arrivals::received).sum();
  }

  /** Returns the number of messages of other runs. */
  long foreign() {
    return receivers.stream().map(Receiver::arrivals).mapToLong(Arrivals::foreign).sum();
  }

  void moveTimesTo(Map<MessageStep, Histogram> sums) {
    receivers.forEach(receiver -> receiver.arrivals().times().moveTo(sums));
  }

  /** Closes the consumers and their subscriptions. Afterwards their tallies can be read. */
  void finish() throws JMSException, IOException {
    finished = true;
    for (Connection connection : connections) {
      connection.stop();
    }
    for (Receiver receiver : receivers) {
      receiver.close();
    }
  }

  /**
   * Returns the number of missing deliveries, from the number of messages sent by each producer.
   * Called after {@link #finish}.
   */
  long lost(Map<Integer, Long> sent) {
    long lost = 0;
    for (int destination = 0; destination < workload.destinations(); destination++) {
      for (Tally tally : tallies(destination)) {
        lost += lost(tally, destination, sent);
      }
    }
    return lost;
  }

  private long lost(Tally tally, int destination, Map<Integer, Long> sent) {
    return sent.entrySet().stream()
        .filter(producer -> producer.getKey() % workload.destinations() == destination)
        .mapToLong(producer -> tally.lost(producer.getKey(), producer.getValue()))
        .sum();
  }

  /** Returns the number of duplicate deliveries. Called after {@link #finish}. */
  long repeated() {
    long repeated = 0;
    for (int destination = 0; destination < workload.destinations(); destination++) {
      repeated += tallies(destination).stream().mapToLong(Tally::repeated).sum();
    }
    return repeated;
  }

  /**
   * Returns one tally per consumer of a topic, or one for all consumers of a queue, which share its
   * messages.
   */
  private List<Tally> tallies(int destination) {
    List<Tally> tallies =
        receivers.stream()
            .filter(receiver -> receiver.destination() == destination)
            .map(receiver -> receiver.arrivals().tally())
            .toList();
    if (workload.mode() == Mode.TOPIC) {
      return tallies;
    }
    Tally shared = new Tally();
    tallies.forEach(shared::merge);
    return List.of(shared);
  }

  @Override
  public void close() throws JMSException, IOException {
    if (!finished) {
      finish();
    }
    for (Connection connection : connections) {
      connection.close();
    }
  }
}
