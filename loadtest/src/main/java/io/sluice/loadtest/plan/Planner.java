package io.sluice.loadtest.plan;

import io.sluice.loadtest.report.MeasurementCheck;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.statistics.Interval;
import io.sluice.loadtest.statistics.Intervals;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Capacity planner: calculates the nodes and resources for a target, from measurements of one node
 * or a given capacity. One thread uses an instance; the static methods are for any thread.
 */
public final class Planner {
  static final String NODES = "nodes";
  static final String CONNECTIONS = "connections to the broker";
  static final String FROM_BROKER = "from the broker to all nodes";
  static final String TO_CLIENTS = "from all nodes to the clients";
  static final String TO_CLIENTS_OF_NODE = "from a node to its clients";
  static final String CAPACITY = "clients per node, maximum";
  static final String COMPRESSION = "CPU of compression per node";
  static final String PLANNED = "clients per node without spare nodes";

  private static final String GIGABITS = "Gb/s";

  private final CapacityTarget target;
  private final NetworkCost network;
  private final List<PlannedFigure> figures = new ArrayList<>();
  private final List<String> assumptions = new ArrayList<>();

  private Planner(CapacityTarget target, NetworkCost network) {
    this.target = target;
    this.network = network;
  }

  /**
   * Returns a plan for a given capacity.
   *
   * @param perNode clients per node
   */
  public static Plan stated(long perNode, CapacityTarget target, NetworkCost network) {
    Planner planner = new Planner(target, network);
    String basis = "given";
    planner.figures.add(PlannedFigure.exact(CAPACITY, "", perNode, basis));
    planner.assumptions.add(
        "The capacity of a node is given on the command line and not verified.");
    return planner.plan(perNode, perNode, null);
  }

  /**
   * Returns a plan from measurements of one node.
   *
   * @throws IllegalArgumentException if they are insufficient for this target; the message names
   *     the missing data
   */
  public static Plan measured(
      List<Measurement> measurements, CapacityTarget target, NetworkCost network) {
    check(measurements);
    CapacityEstimate estimate =
        CapacityEstimate.of(StepSeries.of(measurements), target.workload(), target.p99Millis());
    Planner planner = new Planner(target, network);
    planner.capacity(estimate);
    planner.assumeMeasured(estimate);
    return planner.plan(
        estimate.clients(), estimate.limitClients(), new ResourcePrediction(estimate));
  }

  private static void check(List<Measurement> measurements) {
    Measurement first = measurements.get(0);
    for (Measurement measurement : measurements) {
      MeasurementCheck.check(measurement);
      if (!measurement.machine().equals(first.machine())
          || !measurement.versions().equals(first.versions())) {
        throw new IllegalArgumentException(
            "measurements of different machines or versions cannot be combined: those of %s and %s"
                .formatted(first.startedAt(), measurement.startedAt()));
      }
    }
  }

  private void capacity(CapacityEstimate estimate) {
    List<String> basis = new ArrayList<>();
    for (Capacity capacity : estimate.capacities()) {
      String met =
          "%s met the objective with %s clients (%s)"
              .formatted(
                  capacity.series().workload().toText(),
                  Text.number(capacity.clients()),
                  capacity.basis());
      String violated =
          Double.isNaN(capacity.limitClients())
              ? capacity.violation()
              : "violated it with %s (%s)"
                  .formatted(Text.number(capacity.limitClients()), capacity.violation());
      basis.add(met + ", " + violated);
    }
    double clients = Math.floor(estimate.clients());
    double upper = Math.ceil(estimate.limitClients());
    figures.add(new PlannedFigure(CAPACITY, "", clients, clients, upper, String.join("; ", basis)));
  }

  private void assumeMeasured(CapacityEstimate estimate) {
    assumptions.add(
        String.format(
            Locale.ROOT,
            "The objective is a p99 latency since due below %s ms. It is met if the whole 95 %%"
                + " interval is below, over runs or, for a single run, over its clients.",
            Text.number(target.p99Millis())));
    assumptions.add(
        "Every node equals the measured node: machine, versions, settings and other processes on"
            + " the machine.");
    if (Double.isNaN(estimate.limitClients())) {
      assumptions.add(
          "No load step violated the objective"
              + (estimate.isBetween() ? " on at least one side" : "")
              + ": the capacity is a lower bound, and fewer nodes may suffice. Measure larger steps"
              + " to determine it.");
    }
    if (estimate.isBetween()) {
      assumptions.add(
          "%s was not measured. A node is assumed to serve at least as many clients as with"
                  .formatted(target.workload().toText())
              + " the next heavier workload, and as many frames per second as with the worse"
              + " neighbour; predictions cover those of both neighbours.");
    }
  }

  /** Returns the complete plan; {@code prediction} is null without measurements. */
  private Plan plan(double capacity, double limitClients, ResourcePrediction prediction) {
    long working = target.nodes(capacity);
    long nodes = working + target.spareNodes();
    double lower =
        Double.isNaN(limitClients) ? Double.NaN : target.nodes(limitClients) + target.spareNodes();
    double clients = (double) target.clients() / working;
    String spare =
        "%s clients in total, headroom %s %%, spare nodes %d"
            .formatted(
                Text.number(target.clients()),
                Text.number(target.headroom() * 100),
                target.spareNodes());
    PlannedFigure allNodes = new PlannedFigure(NODES, "", nodes, lower, nodes, spare);
    figures.add(allNodes);
    figures.add(PlannedFigure.exact(PLANNED, "", Math.ceil(clients), "evenly distributed"));
    figures.add(allNodes.times(1, CONNECTIONS, "", "one per node"));
    figures.add(fromBroker(allNodes));
    toClients(clients, prediction);
    compression();
    if (prediction != null) {
      figures.add(prediction.cpu(clients));
      figures.addAll(prediction.memory(clients));
    }
    assumptions.add("Clients are evenly distributed over the nodes and have one topic each.");
    assumptions.add(
        "Every node receives every topic from the broker once, independent of its clients. Whether"
            + " the broker serves this number of nodes is not verified (sluice bench-broker"
            + " measures it).");
    return new Plan(nodes, List.copyOf(figures), List.copyOf(assumptions));
  }

  private PlannedFigure fromBroker(PlannedFigure nodes) {
    ClientWorkload workload = target.workload();
    boolean isRateStated = network.brokerRate() > 0;
    boolean areBytesStated = network.brokerBytes() > 0;
    double rate = isRateStated ? network.brokerRate() : workload.topics() * workload.rate();
    double bytes = areBytesStated ? network.brokerBytes() : workload.payloadBytes();
    if (Double.isNaN(rate * bytes)) {
      return PlannedFigure.unknown(
          FROM_BROKER, "requires --broker-rate and --broker-bytes, or --topics, --rate and --size");
    }
    String basis =
        "%s messages/s of %s B into each node, %s"
            .formatted(
                Text.number(rate),
                Text.number(bytes),
                areBytesStated ? "given" : "payload only, a lower bound");
    return nodes.times(rate * bytes * 8 / 1e9, FROM_BROKER, GIGABITS, basis);
  }

  private void toClients(double clientsOfNode, ResourcePrediction prediction) {
    PlannedFigure bytes = messageBytes(prediction);
    double rate = target.workload().rate();
    if (Double.isNaN(bytes.value() * rate)) {
      figures.add(
          PlannedFigure.unknown(
              TO_CLIENTS,
              "requires --client-bytes and --rate, or at least two runs that meet the objective and"
                  + " contain the gateway's metrics"));
      return;
    }
    String basis = Text.number(bytes.value()) + " B per message, " + bytes.basis();
    double bits = rate * 8 / 1e9;
    figures.add(bytes.times(target.clients() * bits, TO_CLIENTS, GIGABITS, basis));
    figures.add(bytes.times(clientsOfNode * bits, TO_CLIENTS_OF_NODE, GIGABITS, basis));
  }

  private PlannedFigure messageBytes(ResourcePrediction prediction) {
    String name = "message to a client";
    if (network.clientBytes() > 0) {
      return compressed(PlannedFigure.exact(name, "B", network.clientBytes(), "given"));
    }
    double[] overhead = prediction == null ? new double[0] : prediction.overheadBytes();
    if (overhead.length < 2) {
      return PlannedFigure.unknown(name, "fewer than two runs with the gateway's metrics");
    }
    Interval interval = Intervals.student(overhead);
    double payload = target.workload().payloadBytes();
    Interval whole =
        new Interval(
            payload + interval.estimate(),
            payload + interval.low(),
            payload + interval.high(),
            interval.samples());
    return compressed(PlannedFigure.of(name, "B", whole, "measured, without TCP and IP headers"));
  }

  private PlannedFigure compressed(PlannedFigure message) {
    if (!network.isCompressed()) {
      return message;
    }
    String basis =
        "%s, %s B compressed to %s %%"
            .formatted(
                message.basis(),
                Text.number(message.value()),
                Text.number(network.compressedShare() * 100));
    return message.times(network.compressedShare(), message.name(), "B", basis);
  }

  /** Adds the CPU of compression, which a node does once per message and not once per client. */
  private void compression() {
    if (!network.isCompressed()) {
      return;
    }
    double rate =
        network.brokerRate() > 0
            ? network.brokerRate()
            : target.workload().topics() * target.workload().rate();
    if (Double.isNaN(rate)) {
      figures.add(
          PlannedFigure.unknown(COMPRESSION, "requires --broker-rate, or --topics and --rate"));
      return;
    }
    String basis =
        "%s messages/s, %s µs each, given"
            .formatted(Text.number(rate), Text.number(network.compressionMicros()));
    double cores = rate * network.compressionMicros() / 1e6;
    figures.add(PlannedFigure.exact(COMPRESSION, "cores", cores, basis));
    assumptions.add(
        "The CPU of compression is in addition to the CPU per node, if that was measured without"
            + " it.");
  }

  /**
   * Load and objective of a plan. Immutable.
   *
   * @param clients total number of clients
   * @param workload of each of them
   * @param p99Millis upper limit of the 99th percentile of the latency since the due time
   * @param headroom reserved part of a node's capacity, from 0 to below 1
   * @param spareNodes number of nodes that may fail without exceeding the capacity of the others
   */
  public record CapacityTarget(
      long clients, ClientWorkload workload, double p99Millis, double headroom, int spareNodes) {

    /**
     * Returns the number of nodes without spare nodes, for a maximum number of clients per node.
     */
    long nodes(double capacity) {
      // Rounding errors must not add a node.
      return Math.max(1, (long) Math.ceil(clients / (capacity * (1 - headroom)) - 1e-9));
    }
  }

  /**
   * Network traffic per message as given on the command line; 0 if not given. Immutable.
   *
   * @param brokerRate messages per second from the broker to each node
   * @param brokerBytes size of a message on the wire from the broker
   * @param clientBytes size of a message on the wire to a client, without compression
   * @param compressedShare part of these bytes that remains after compression
   * @param compressionMicros CPU time of a message's compression
   */
  public record NetworkCost(
      double brokerRate,
      double brokerBytes,
      double clientBytes,
      double compressedShare,
      double compressionMicros) {
    /** Cost without given values. */
    public static final NetworkCost UNSTATED = new NetworkCost(0, 0, 0);

    /** Creates a cost without compression. */
    public NetworkCost(double brokerRate, double brokerBytes, double clientBytes) {
      this(brokerRate, brokerBytes, clientBytes, 0, 0);
    }

    boolean isCompressed() {
      return compressedShare > 0;
    }
  }
}
