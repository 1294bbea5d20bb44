package io.sluice.gateway.sim.queue;

import io.sluice.gateway.sim.Failure;
import io.sluice.gateway.sim.SeededRandom;
import io.sluice.gateway.sim.Timeline;
import io.sluice.gateway.sim.Trace;
import io.sluice.gateway.sim.queue.QueuedMessage.Content;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** One run: a broker, nodes and clients, and the faults between them. */
final class QueueWorld implements AutoCloseable {
  private static final long STEP = 100 * QueuePlan.MILLI;

  /** Time for every timeout and retry. */
  private static final long HEALING = 60 * QueuePlan.SECOND;

  private static final long DRAINING = 1_200 * QueuePlan.SECOND;
  private static final int MAX_WAITING = 200;

  final Timeline timeline = new Timeline();
  final QueueTally tally = new QueueTally();
  final Fibers fibers = new Fibers(timeline);
  final SeededRandom random;
  final QueuePlan plan;
  final Trace trace;
  final QueueBroker broker = new QueueBroker(this);
  final Responder responder = new Responder(this);
  final Ledger ledger = new Ledger(this);
  final List<QueueNode> nodes = new ArrayList<>();

  /** All consumers of nodes by their number. */
  final List<NodeConsumer> consumers = new ArrayList<>();

  /** Messages that the transaction sends which is being prepared. */
  final List<Content> sending = new ArrayList<>();

  private final Set<QueueRule> broken;
  private final List<QueueClient> clients = new ArrayList<>();
  private boolean faulty = true;
  private long published;
  private Failure failure;

  /**
   * @param traced whether the events are recorded
   * @param broken rules that are violated
   */
  QueueWorld(long seed, boolean traced, Set<QueueRule> broken) {
    this.random = new SeededRandom(seed);
    this.plan = new QueuePlan(random);
    this.trace = new Trace(traced, timeline);
    this.broken = broken;
    for (int i = 0; i < plan.nodes; i++) {
      nodes.add(new QueueNode("node-" + i, this));
    }
    for (int i = 0; i < plan.clients; i++) {
      clients.add(new QueueClient("client-" + i, this));
    }
  }

  boolean breaks(QueueRule rule) {
    return broken.contains(rule);
  }

  /** Returns whether faults are injected. */
  boolean isFaulty() {
    return faulty;
  }

  /** Records a violation. A check may run within a call of a node, which catches exceptions. */
  void fail(String subject, String what) {
    trace.note(subject, () -> what);
    if (failure == null) {
      failure = new Failure(subject, what);
    }
  }

  /** Returns the delay of a packet between a node and the broker. */
  long packetDelay() {
    return random.mostlySmall(plan.brokerLatency);
  }

  /** Returns the delay of one direction of a call. */
  long callDelay() {
    boolean slow = faulty && random.oneIn(plan.slowCallOneIn);
    return slow ? random.between(0, plan.slowCall) : packetDelay();
  }

  /** Injects faults until this number of events, then ends them and checks the final state. */
  void run(long events) {
    nodes.forEach(QueueNode::start);
    clients.forEach(QueueClient::start);
    every(plan.publishMean, this::publish);
    every(20 * plan.publishMean, this::publishMany);
    every(plan.clientCutMean, () -> random.of(clients).cut());
    every(plan.clientPauseMean, () -> random.of(clients).pause());
    every(plan.nodeFaultMean, this::breakNode);
    every(plan.linkFaultMean, this::breakLink);
    every(plan.sessionFaultMean, this::closeSession);
    every(plan.restartMean, this::restartBroker);
    while (timeline.events() < events) {
      step();
    }
    heal();
  }

  private void step() {
    timeline.runFor(STEP);
    clients.forEach(QueueClient::check);
    broker.sessions().forEach(SimulatedQueueSession::checkRequested);
    if (failure != null) {
      throw failure;
    }
  }

  private void every(long meanMicros, Runnable event) {
    timeline.after(
        random.pause(meanMicros),
        () -> {
          if (faulty) {
            event.run();
            every(meanMicros, event);
          }
        });
  }

  private void publish() {
    String queue = random.of(QueuePlan.QUEUES);
    if (broker.isUp() && broker.waiting(queue) < MAX_WAITING) {
      long number = ++published;
      boolean expires = random.oneIn(plan.expiringOneIn);
      long expiry = timeline.nowMicros() + random.between(0, 20 * QueuePlan.SECOND);
      broker.accept(
          new Content(
              queue,
              "p" + number + padding(),
              !random.oneIn(plan.nonPersistentOneIn),
              expires ? expiry : 0,
              null,
              null));
    }
  }

  private void publishMany() {
    for (long left = random.between(1, plan.burst); left > 0; left--) {
      publish();
    }
  }

  /** Returns text that makes a message larger. */
  String padding() {
    return " ".repeat(random.below(plan.payloadBytes));
  }

  private void breakNode() {
    QueueNode node = random.of(nodes);
    if (random.oneIn(2)) {
      node.crash();
    } else {
      node.drain();
    }
    timeline.after(random.mostlySmall(10 * QueuePlan.SECOND), node::start);
  }

  private void breakLink() {
    if (broker.links().isEmpty()) {
      return;
    }
    ProviderLink link = random.of(broker.links());
    boolean halfOpen = random.oneIn(2);
    trace.note(link.node, () -> halfOpen ? "has a silent link" : "loses a link");
    long most = (halfOpen ? 20 : 1) * QueuePlan.SECOND;
    link.lose(random.between(0, most), random.between(0, most));
  }

  private void closeSession() {
    List<SimulatedQueueSession> sessions = broker.sessions();
    if (!sessions.isEmpty()) {
      SimulatedQueueSession closed = random.of(sessions);
      trace.note(closed.link.node, () -> "has a session of " + closed.queue + " closed");
      closed.disconnect();
    }
    if (!broker.links().isEmpty() && random.oneIn(5)) {
      random.of(broker.links()).deleteReplyQueue();
    }
  }

  private void restartBroker() {
    if (broker.isUp()) {
      trace.note("node", () -> "the broker restarts");
      broker.restart(random.mostlySmall(5 * QueuePlan.SECOND));
      nodes.stream().filter(QueueNode::isUp).forEach(node -> node.broker().onBrokerRestart());
    }
  }

  // Runs long enough for every timeout and retry, then until all messages are settled.
  private void heal() {
    faulty = false;
    runFor(10 * QueuePlan.SECOND);
    nodes.forEach(QueueNode::start);
    clients.forEach(QueueClient::settleAll);
    runFor(HEALING);
    List<String> queues = new ArrayList<>(QueuePlan.QUEUES);
    queues.add(QueuePlan.CLIENT_SERVICE);
    long until = timeline.nowMicros() + DRAINING;
    while (ledger.left(queues) > 0 && timeline.nowMicros() < until) {
      step();
    }
    clients.forEach(QueueClient::stop);
    runFor(HEALING / 2);
    ledger.checkFinal();
    clients.forEach(QueueClient::checkFinal);
    clients.forEach(QueueClient::disconnect);
    runFor(HEALING);
    checkEmpty();
  }

  private void checkEmpty() {
    nodes.forEach(QueueNode::checkEmpty);
    if (!broker.sessions().isEmpty()) {
      fail("node", "leaves " + broker.sessions().size() + " sessions at the broker");
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void runFor(long micros) {
    long until = timeline.nowMicros() + micros;
    while (timeline.nowMicros() < until) {
      step();
    }
  }

  @Override
  public void close() {
    fibers.close();
    nodes.stream().filter(QueueNode::isUp).forEach(QueueNode::close);
  }
}
