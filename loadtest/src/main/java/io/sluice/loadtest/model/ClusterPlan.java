package io.sluice.loadtest.model;

import io.sluice.loadtest.model.NodeDemand.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Plan of a cluster with a verdict. Immutable, for any thread.
 *
 * @param nodes number of nodes, including spare ones
 * @param spareNodes number of nodes beyond those that the load requires
 * @param capacity clients that a node has capacity for
 * @param limit resource that determines the capacity
 * @param figures figures of the nodes
 * @param storms one per loss of nodes
 * @param costPerHour price of all nodes, or NaN
 * @param inputs rows with title, value, source and option
 * @param basis origin of the runs, and the validation of the model
 * @param extrapolation load of a node relative to the largest recorded one; 1 within the range
 * @param payloadCovered whether runs with such a payload were recorded
 */
public record ClusterPlan(
    long clients,
    double nodes,
    double spareNodes,
    double capacity,
    Resource limit,
    List<PlanFigure> figures,
    List<Storm> storms,
    BrokerLoad broker,
    double costPerHour,
    List<List<String>> inputs,
    String basis,
    double extrapolation,
    boolean payloadCovered) {
  private static final double HOURS_PER_MONTH = 730;

  /** Returns whether the nodes survive each loss, and the broker serves all nodes. */
  public boolean isSufficient() {
    return broker.isSufficient() && storms.stream().allMatch(Storm::isSurvived);
  }

  /** Returns the plan as Markdown. */
  public String toMarkdown() {
    StringBuilder out = new StringBuilder(verdict()).append("\n\n");
    out.append("| figure | value | 95 % prediction interval |\n|---|---|---|\n");
    rows().forEach(figure -> append(out, figure));
    if (!storms.isEmpty()) {
      out.append("\n| loss of | clients that reconnect | handshakes/s per node | all connected")
          .append(" after | caught up after | CPU of a node until then | clients per node |\n")
          .append("|---|---|---|---|---|---|---|\n");
      storms.forEach(storm -> append(out, storm));
    }
    out.append("\n| assumption | value | source | option |\n|---|---|---|---|\n");
    inputs.forEach(row -> out.append("| ").append(String.join(" | ", row)).append(" |\n"));
    out.append("\nModel: ").append(basis).append(".\n");
    return out.toString();
  }

  private List<PlanFigure> rows() {
    List<PlanFigure> rows = new ArrayList<>();
    rows.add(PlanFigure.of("nodes", "", nodes));
    rows.add(PlanFigure.of("spare nodes among them", "", spareNodes));
    rows.addAll(figures);
    rows.addAll(broker.figures());
    if (!Double.isNaN(costPerHour)) {
      rows.add(PlanFigure.of("price of all nodes per hour", "", costPerHour));
      rows.add(PlanFigure.of("price per month of 730 hours", "", costPerHour * HOURS_PER_MONTH));
    }
    return rows;
  }

  private String verdict() {
    List<String> sentences = new ArrayList<>();
    sentences.add(
        "%s nodes %s %s clients; %s limits a node to %s clients."
            .formatted(
                PlanInputs.number(nodes),
                isSufficient() ? "serve" : "do not suffice for",
                PlanInputs.number(clients),
                limit,
                PlanInputs.number(capacity)));
    for (Storm storm : storms) {
      sentences.add(sentence(storm));
    }
    if (!broker.isSufficient()) {
      sentences.add(
          "The broker needs %s cores and has %s: use more cores, or a broker per part of the topics."
              .formatted(PlanInputs.number(broker.cores()), PlanInputs.number(broker.usable())));
    }
    if (extrapolation > 1) {
      sentences.add(extrapolated("The load of a node", extrapolation));
    }
    if (!payloadCovered) {
      sentences.add("The CPU of this payload was not measured.");
    }
    return "**Verdict:** " + String.join(" ", sentences);
  }

  private static String sentence(Storm storm) {
    if (!storm.isSurvived()) {
      return "After the loss of %s, the other nodes are overloaded.".formatted(storm.event());
    }
    return "After the loss of %s, all clients are connected within %s s."
        .formatted(storm.event(), PlanInputs.number(storm.seconds()));
  }

  private static String extrapolated(String subject, double factor) {
    return String.format(
        Locale.ROOT,
        "%s is %.1f times the largest measured one: an extrapolation to verify.",
        subject,
        factor);
  }

  private static void append(StringBuilder out, PlanFigure figure) {
    out.append("| ").append(figure.name());
    out.append(" | ").append(figure.valueText());
    out.append(" | ").append(figure.rangeText()).append(" |\n");
  }

  private static void append(StringBuilder out, Storm storm) {
    List<String> cells =
        List.of(
            storm.event(),
            PlanInputs.number(Math.ceil(storm.clients())),
            PlanInputs.number(storm.rate()),
            seconds(storm.seconds()),
            seconds(storm.caughtUp()),
            PlanInputs.number(storm.cores()) + " cores",
            PlanInputs.number(Math.ceil(storm.clientsPerNode())));
    out.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }

  private static String seconds(double seconds) {
    return Double.isFinite(seconds) ? PlanInputs.number(seconds) + " s" : "never";
  }
}
