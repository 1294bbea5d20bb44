package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.provider.BrokerTarget;
import io.sluice.loadtest.broker.result.MessageStep;
import io.sluice.loadtest.broker.workload.BrokerWorkload;
import io.sluice.loadtest.broker.workload.Mode;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** All consumers of a run, and their connections. For the run's thread. */
final class Receivers implements AutoCloseable {
  private final BrokerWorkload workload;
  private final List<Connection> connections = new ArrayList<>();
  private final List<Receiver> receivers = new ArrayList<>();
  private boolean finished;

  private Receivers(BrokerWorkload workload) {
    this.workload = workload;
  }

  /** Returns once each of them gets what is sent from now on. */
  static Receivers open(BrokerTarget target, BrokerWorkload workload, int run, TrialPhase stage)
      throws Exception {
    Receivers receivers = new Receivers(workload);
    try {
      if (target.gateway() == null) {
        receivers.listen(target, run, stage);
      } else {
        receivers.subscribe(target, run, stage);
      }
      return receivers;
    } catch (Exception e) {
      receivers.close();
      throw e;
    }
  }

  private void listen(BrokerTarget target, int run, TrialPhase stage) throws Exception {
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
      receivers.add(new JmsReceiver(session, workload, run, i, name, stage));
    }
    for (Connection connection : connections) {
      connection.start();
    }
  }

  private void subscribe(BrokerTarget target, int run, TrialPhase stage) throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    for (int i = 0; i < workload.consumers(); i++) {
      int destination = i % workload.destinations();
      String topic = target.name(run, destination);
      receivers.add(GatewayReceiver.open(client, target.gateway(), topic, run, destination, stage));
    }
  }

  /** Deliveries of this run so far. */
  long received() {
    return receivers.stream().map(Receiver::arrivals).mapToLong(Arrivals::received).sum();
  }

  /** Messages that were not of this run. */
  long foreign() {
    return receivers.stream().map(Receiver::arrivals).mapToLong(Arrivals::foreign).sum();
  }

  void moveTimesTo(Map<MessageStep, Histogram> sums) {
    receivers.forEach(receiver -> receiver.arrivals().times().moveTo(sums));
  }

  /** Ends the consumers and their subscriptions, so that what they have counted can be read. */
  void finish() throws JMSException {
    finished = true;
    for (Connection connection : connections) {
      connection.stop();
    }
    for (Receiver receiver : receivers) {
      receiver.close();
    }
  }

  /** Deliveries that never came, of what each producer has sent; after {@link #finish}. */
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

  /** Deliveries that came again; after {@link #finish}. */
  long repeated() {
    long repeated = 0;
    for (int destination = 0; destination < workload.destinations(); destination++) {
      repeated += tallies(destination).stream().mapToLong(Tally::repeated).sum();
    }
    return repeated;
  }

  /** Each consumer's of a topic; one for all consumers of a queue, who share its messages. */
  private List<Tally> tallies(int destination) {
    List<Tally> own =
        receivers.stream()
            .filter(receiver -> receiver.destination() == destination)
            .map(receiver -> receiver.arrivals().tally())
            .toList();
    if (workload.mode() == Mode.TOPIC) {
      return own;
    }
    Tally shared = new Tally();
    own.forEach(shared::join);
    return List.of(shared);
  }

  @Override
  public void close() throws JMSException {
    if (!finished) {
      finish();
    }
    for (Connection connection : connections) {
      connection.close();
    }
  }
}
