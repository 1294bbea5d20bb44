package io.sluice.loadtest.plan;

import io.sluice.loadtest.plan.Outcome.Kind;
import io.sluice.loadtest.report.GatewayUsage;
import io.sluice.loadtest.report.LoadStep;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.Measurement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All steps measured with one workload, in ascending order of clients. Immutable, for any thread.
 */
record StepSeries(ClientWorkload workload, List<LoadStep> steps) {

  /** Returns the series of measurements. Runs with the same load form one step, across files. */
  static List<StepSeries> of(List<Measurement> measurements) {
    Map<ClientWorkload, List<LoadStep>> byWorkload = new LinkedHashMap<>();
    measurements.stream()
        .map(LoadStep::of)
        .flatMap(List::stream)
        .forEach(step -> add(byWorkload, step));
    return byWorkload.entrySet().stream()
        .map(entry -> new StepSeries(entry.getKey(), ascending(entry.getValue())))
        .toList();
  }

  private static void add(Map<ClientWorkload, List<LoadStep>> byWorkload, LoadStep step) {
    List<LoadStep> steps =
        byWorkload.computeIfAbsent(ClientWorkload.of(step.load()), workload -> new ArrayList<>());
    for (int i = 0; i < steps.size(); i++) {
      if (steps.get(i).load().equals(step.load())) {
        List<MeasuredRun> runs = new ArrayList<>(steps.get(i).runs());
        runs.addAll(step.runs());
        steps.set(i, new LoadStep(step.load(), runs));
        return;
      }
    }
    steps.add(step);
  }

  private static List<LoadStep> ascending(List<LoadStep> steps) {
    return steps.stream().sorted(Comparator.comparingInt(step -> step.load().clients())).toList();
  }

  /**
   * Returns the largest number of clients up to which every step meets an objective.
   *
   * @throws IllegalArgumentException if it is not shown to be met with the fewest clients
   */
  Capacity capacity(double p99Millis) {
    LoadStep best = null;
    String basis = "";
    for (LoadStep step : steps) {
      Outcome outcome = Outcome.of(step, p99Millis);
      if (outcome.kind() != Kind.MET) {
        break;
      }
      best = step;
      basis = outcome.reason();
    }
    if (best == null) {
      throw new IllegalArgumentException(
          "p99 below %s ms is not met with the fewest measured clients, %,d (%s; %s)"
              .formatted(
                  Text.number(p99Millis),
                  steps.get(0).load().clients(),
                  workload.toText(),
                  Outcome.of(steps.get(0), p99Millis).reason()));
    }
    return findLimit(best.load().clients(), basis, p99Millis);
  }

  private Capacity findLimit(int clients, String basis, double p99Millis) {
    for (LoadStep step : steps) {
      Outcome outcome = Outcome.of(step, p99Millis);
      if (step.load().clients() > clients && outcome.kind() == Kind.VIOLATED) {
        int limit = step.load().clients();
        return new Capacity(this, clients, basis, limit, outcome.reason());
      }
    }
    return new Capacity(this, clients, basis, Double.NaN, "no step violated the objective");
  }

  /** Returns the gateway's usage in each run with known usage and at most a number of clients. */
  List<GatewayUsage> usages(double clients) {
    return steps.stream()
        .filter(step -> step.load().clients() <= clients)
        .flatMap(step -> step.runs().stream())
        .map(GatewayUsage::of)
        .filter(GatewayUsage::isKnown)
        .toList();
  }
}
