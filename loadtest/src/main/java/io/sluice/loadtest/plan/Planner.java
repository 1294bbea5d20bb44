package io.sluice.loadtest.plan;

import io.sluice.loadtest.report.Soundness;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.statistics.Interval;
import io.sluice.loadtest.statistics.Intervals;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Answers what a target needs, from measurements of one node or from a stated capacity. */
public final class Planner {
  static final String NODES = "nodes";
  static final String CONNECTIONS = "connections to the broker";
  static final String FROM_BROKER = "from the broker to all nodes";
  static final String TO_CLIENTS = "from all nodes to the clients";
  static final String TO_CLIENTS_OF_NODE = "from a node to its clients";
  static final String CAPACITY = "clients that a node carries";
  static final String PLANNED = "clients of a node, no spare one left";

  private static final String GIGABITS = "Gb/s";

  private final CapacityTarget target;
  private final NetworkCost wire;
  private final List<Answer> answers = new ArrayList<>();
  private final List<String> assumptions = new ArrayList<>();

  private Planner(CapacityTarget target, NetworkCost wire) {
    this.target = target;
    this.wire = wire;
  }

  /**
   * Plans with a stated capacity.
   *
   * @param perNode clients that a node carries
   */
  public static Plan stated(long perNode, CapacityTarget target, NetworkCost wire) {
    Planner planner = new Planner(target, wire);
    String basis = "stated";
    planner.answers.add(Answer.exact(CAPACITY, "", perNode, basis));
    planner.assumptions.add("A node carries as many clients as stated; nothing here checks it.");
    return planner.plan(perNode, perNode, null);
  }

  /**
   * Plans from measurements of one node.
   *
   * @throws IllegalArgumentException if they do not say enough for this target; the message says
   *     what is missing
   */
  public static Plan measured(
      List<Measurement> measurements, CapacityTarget target, NetworkCost wire) {
    check(measurements);
    Sides sides = Sides.of(Ladder.of(measurements), target.workload(), target.p99Millis());
    Planner planner = new Planner(target, wire);
    planner.capacity(sides);
    planner.assumeMeasured(sides);
    return planner.plan(sides.clients(), sides.breaksAt(), new Use(sides));
  }

  private static void check(List<Measurement> measurements) {
    Measurement first = measurements.get(0);
    for (Measurement measurement : measurements) {
      Soundness.check(measurement);
      if (!measurement.machine().equals(first.machine())
          || !measurement.versions().equals(first.versions())) {
        throw new IllegalArgumentException(
            "measurements of different machines or versions don't go together: those of %s and %s"
                .formatted(first.startedAt(), measurement.startedAt()));
      }
    }
  }

  private void capacity(Sides sides) {
    List<String> basis = new ArrayList<>();
    for (Capacity capacity : sides.capacities()) {
      String held =
          "%s held with %s clients (%s)"
              .formatted(
                  capacity.ladder().workload().toText(),
                  Text.number(capacity.clients()),
                  capacity.basis());
      String broke =
          Double.isNaN(capacity.breaksAt())
              ? capacity.breaking()
              : "broke with %s (%s)"
                  .formatted(Text.number(capacity.breaksAt()), capacity.breaking());
      basis.add(held + ", " + broke);
    }
    double clients = Math.floor(sides.clients());
    double most = Math.ceil(sides.breaksAt());
    answers.add(new Answer(CAPACITY, "", clients, clients, most, String.join("; ", basis)));
  }

  private void assumeMeasured(Sides sides) {
    assumptions.add(
        String.format(
            Locale.ROOT,
            "The objective is p99 since sent below %s ms: it holds where the whole 95 %% interval"
                + " lies below, over runs or, of a single run, over its clients.",
            Text.number(target.p99Millis())));
    assumptions.add(
        "Every node is like the measured one: machine, versions, settings, and what else ran beside"
            + " it.");
    if (Double.isNaN(sides.breaksAt())) {
      assumptions.add(
          "No step of load broke the objective"
              + (sides.isBetween() ? " on at least one side" : "")
              + ": the capacity is a lower bound, and fewer nodes may do. Measure larger steps to"
              + " know.");
    }
    if (sides.isBetween()) {
      assumptions.add(
          "%s itself was not measured: a node is taken to carry at least as many clients as with"
                  .formatted(target.workload().toText())
              + " the heavier workload beside it, and as many frames a second as on the worse side;"
              + " predictions hold those of both sides.");
    }
  }

  /** The rest of the plan; {@code use} is null if nothing was measured. */
  private Plan plan(double capacity, double breaksAt, Use use) {
    long working = target.nodes(capacity);
    long nodes = working + target.spareNodes();
    double least =
        Double.isNaN(breaksAt) ? Double.NaN : target.nodes(breaksAt) + target.spareNodes();
    double clients = (double) target.clients() / working;
    String spare =
        "%s clients in all, headroom %s %%, spare nodes %d"
            .formatted(
                Text.number(target.clients()),
                Text.number(target.headroom() * 100),
                target.spareNodes());
    Answer allNodes = new Answer(NODES, "", nodes, least, nodes, spare);
    answers.add(allNodes);
    answers.add(Answer.exact(PLANNED, "", Math.ceil(clients), "dealt out evenly"));
    answers.add(allNodes.times(1, CONNECTIONS, "", "one a node"));
    answers.add(fromBroker(allNodes));
    toClients(clients, use);
    if (use != null) {
      answers.add(use.cpu(clients));
      answers.addAll(use.memory(clients));
    }
    assumptions.add("Clients are dealt out evenly over the nodes, and have one topic each.");
    assumptions.add(
        "Every node takes every topic from the broker once, however many clients it has; that the"
            + " broker serves so many nodes is not shown here (sluice bench-broker measures it).");
    return new Plan(nodes, List.copyOf(answers), List.copyOf(assumptions));
  }

  private Answer fromBroker(Answer nodes) {
    ClientWorkload workload = target.workload();
    boolean isRateStated = wire.brokerRate() > 0;
    boolean areBytesStated = wire.brokerBytes() > 0;
    double rate = isRateStated ? wire.brokerRate() : workload.topics() * workload.rate();
    double bytes = areBytesStated ? wire.brokerBytes() : workload.payloadBytes();
    if (Double.isNaN(rate * bytes)) {
      return Answer.unknown(
          FROM_BROKER, "neither --broker-rate and --broker-bytes nor --topics, --rate and --size");
    }
    String basis =
        "%s messages/s of %s B into each node, %s"
            .formatted(
                Text.number(rate),
                Text.number(bytes),
                areBytesStated ? "stated" : "the payload alone, so at least");
    return nodes.times(rate * bytes * 8 / 1e9, FROM_BROKER, GIGABITS, basis);
  }

  private void toClients(double clientsOfNode, Use use) {
    Answer bytes = messageBytes(use);
    double rate = target.workload().rate();
    if (Double.isNaN(bytes.value() * rate)) {
      answers.add(Answer.unknown(TO_CLIENTS, "neither --client-bytes and --rate nor measured"));
      return;
    }
    String basis = Text.number(bytes.value()) + " B a message, " + bytes.basis();
    double bits = rate * 8 / 1e9;
    answers.add(bytes.times(target.clients() * bits, TO_CLIENTS, GIGABITS, basis));
    answers.add(bytes.times(clientsOfNode * bits, TO_CLIENTS_OF_NODE, GIGABITS, basis));
  }

  private Answer messageBytes(Use use) {
    String what = "a message to a client";
    if (wire.clientBytes() > 0) {
      return Answer.exact(what, "B", wire.clientBytes(), "stated");
    }
    double[] overhead = use == null ? new double[0] : use.overheadBytes();
    if (overhead.length < 2) {
      return Answer.unknown(what, "fewer than two runs with the gateway's metrics");
    }
    Interval interval = Intervals.student(overhead);
    double payload = target.workload().payloadBytes();
    Interval whole =
        new Interval(
            payload + interval.estimate(),
            payload + interval.low(),
            payload + interval.high(),
            interval.samples());
    return Answer.of(what, "B", whole, "measured, without the headers of TCP and IP");
  }

  /**
   * Load and objective that a plan has to meet. Immutable.
   *
   * @param clients in all
   * @param workload of each of them
   * @param p99Millis what the 99th percentile of the latency since sent has to stay below
   * @param headroom the part of a node's capacity that is to stay free, from 0 to below 1
   * @param spareNodes how many may fail without anybody noticing
   */
  public record CapacityTarget(
      long clients, ClientWorkload workload, double p99Millis, double headroom, int spareNodes) {

    /** Nodes for all clients where a node holds at most so many, without the spare ones. */
    long nodes(double capacity) {
      // Rounding errors make no node.
      return Math.max(1, (long) Math.ceil(clients / (capacity * (1 - headroom)) - 1e-9));
    }
  }

  /**
   * Network traffic of a message as stated on the command line; 0: not stated. Immutable.
   *
   * @param brokerRate messages a second from the broker to each node
   * @param brokerBytes of a message on the wire from the broker
   * @param clientBytes of a message on the wire to a client
   */
  public record NetworkCost(double brokerRate, double brokerBytes, double clientBytes) {
    /** Nothing stated. */
    public static final NetworkCost UNSTATED = new NetworkCost(0, 0, 0);
  }
}
