package io.sluice.loadtest.model;

import io.sluice.loadtest.model.NodeDemand.Resource;
import io.sluice.loadtest.statistics.Interval;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Planner of a cluster by the model: nodes, broker, network, memory, reconnect storms and cost. For
 * one thread.
 */
public final class ClusterPlanner {
  private static final String UNMEASURED = "default, not measured";
  private static final double HEADER_BYTES = 24;

  private final PlanInputs inputs;
  private final NodeModel model;
  private final NodeDemand demand;

  private ClusterPlanner(NodeModel model, Map<PlanInput, Double> given, boolean encrypted) {
    this.model = model;
    inputs = new PlanInputs(given);
    inputs.supply(
        PlanInput.FRAME_BYTES,
        inputs.get(PlanInput.PAYLOAD) + HEADER_BYTES,
        "payload and header of 24 B");
    supplyConnections(encrypted);
    inputs.supply(
        PlanInput.BROKER_RATE,
        inputs.get(PlanInput.TOPICS) * inputs.get(PlanInput.RATE),
        "topics × messages per client");
    inputs.supply(PlanInput.BROKER_BYTES, inputs.get(PlanInput.PAYLOAD), "payload only");
    demand = new NodeDemand(inputs, model, encrypted);
  }

  private void supplyConnections(boolean encrypted) {
    String source = encrypted ? UNMEASURED : "measured";
    inputs.supply(PlanInput.HANDSHAKE_MICROS, encrypted ? 1000 : 100, source);
    inputs.supply(PlanInput.CLIENT_KIB, encrypted ? 40 : 1.2, source);
  }

  /**
   * Returns a plan for a number of clients.
   *
   * @param given values of inputs; all others are measured, derived or defaults
   * @throws IllegalArgumentException for an invalid input, or if a node cannot serve a client; the
   *     message names it
   */
  public static ClusterPlan plan(
      NodeModel model, long clients, boolean encrypted, Map<PlanInput, Double> given) {
    return new ClusterPlanner(model, given, encrypted).plan(clients);
  }

  private ClusterPlan plan(long clients) {
    Resource limit =
        Arrays.stream(Resource.values())
            .min(Comparator.comparingDouble(demand::clients))
            .orElseThrow();
    double capacity = demand.clients(limit);
    if (capacity < 1) {
      throw new IllegalArgumentException(
          "a node cannot serve one client: %s does not suffice (see the options --cores,"
                  .formatted(limit)
              + " --memory, --network, --headroom)");
    }
    double required = Math.ceil(clients / capacity);
    double nodes = nodes(required);
    return new ClusterPlan(
        clients,
        nodes,
        nodes - required,
        capacity,
        limit,
        figures(clients, nodes, capacity),
        storms(clients, nodes, capacity),
        brokerLoad(nodes),
        inputs.has(PlanInput.PRICE) ? nodes * inputs.get(PlanInput.PRICE) : Double.NaN,
        inputs.rows(),
        model.source() + ", " + model.validation().toText(),
        extrapolation(clients, nodes),
        model.coversPayload(inputs.get(PlanInput.PAYLOAD)));
  }

  /** Returns the number of nodes with which the required ones remain after each loss. */
  private double nodes(double required) {
    double sites = inputs.get(PlanInput.SITES);
    double withSpare = required + inputs.get(PlanInput.SPARE);
    if (sites == 1) {
      return withSpare;
    }
    double perSite = Math.max(Math.ceil(required / (sites - 1)), Math.ceil(withSpare / sites));
    return perSite * sites;
  }

  private List<PlanFigure> figures(double clients, double nodes, double capacity) {
    double perNode = clients / nodes;
    Interval cores = demand.cores(perNode, 0);
    List<PlanFigure> figures = new ArrayList<>();
    figures.add(PlanFigure.of("clients per node", "", Math.ceil(perNode)));
    figures.add(PlanFigure.of("capacity of a node", "clients", capacity));
    figures.add(new PlanFigure("CPU of a node", "cores", cores));
    figures.add(new PlanFigure("CPU of all nodes", "cores", cores.times(nodes)));
    figures.add(PlanFigure.of("memory of a node", "GiB", demand.memory(perNode)));
    figures.add(PlanFigure.of("from a node to its clients", "Gb/s", demand.network(perNode)));
    figures.add(PlanFigure.of("from all nodes to the clients", "Gb/s", demand.network(clients)));
    return figures;
  }

  private BrokerLoad brokerLoad(double nodes) {
    double messages = inputs.get(PlanInput.BROKER_RATE);
    double bytes = inputs.get(PlanInput.BROKER_BYTES);
    return new BrokerLoad(
        nodes,
        messages * nodes,
        messages * nodes * bytes * 8 / 1e9,
        messages * nodes * inputs.get(PlanInput.BROKER_MICROS) / 1e6,
        inputs.usable(PlanInput.BROKER_CORES));
  }

  private List<Storm> storms(double clients, double nodes, double capacity) {
    List<Storm> storms = new ArrayList<>();
    double spare = inputs.get(PlanInput.SPARE);
    double sites = inputs.get(PlanInput.SITES);
    if (nodes > 1) {
      storms.add(storm("a node", clients, nodes, 1, 0, capacity));
    }
    if (spare > 1 && spare < nodes) {
      String event = PlanInputs.number(spare) + " nodes";
      storms.add(storm(event, clients, nodes, spare, 0, capacity));
    }
    if (sites > 1) {
      double delay = inputs.get(PlanInput.DETECTION);
      storms.add(storm("a site", clients, nodes, nodes / sites, delay, capacity));
    }
    return storms;
  }

  private Storm storm(
      String event, double clients, double nodes, double lost, double delay, double capacity) {
    return Storm.of(event, demand, capacity, clients, nodes, lost, delay);
  }

  /** Returns how far the load of a node exceeds that of the recorded runs, or 1. */
  private double extrapolation(double clients, double nodes) {
    if (inputs.has(PlanInput.FRAME_MICROS)) {
      return 1;
    }
    double frames = clients / nodes * inputs.get(PlanInput.RATE);
    return Math.max(1, frames / model.maxFrames());
  }
}
