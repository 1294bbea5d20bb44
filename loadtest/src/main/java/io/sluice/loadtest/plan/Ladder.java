package io.sluice.loadtest.plan;

import io.sluice.loadtest.plan.Outcome.Kind;
import io.sluice.loadtest.report.GatewayUse;
import io.sluice.loadtest.report.LoadStep;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.Measurement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All steps that were measured with one workload, from the fewest clients to the most. Immutable.
 */
record Ladder(ClientWorkload workload, List<LoadStep> steps) {

  /** The ladders of measurements; runs of the same load go together, whichever file has them. */
  static List<Ladder> of(List<Measurement> measurements) {
    Map<ClientWorkload, List<LoadStep>> byWorkload = new LinkedHashMap<>();
    measurements.stream()
        .map(LoadStep::of)
        .flatMap(List::stream)
        .forEach(step -> add(byWorkload, step));
    return byWorkload.entrySet().stream()
        .map(entry -> new Ladder(entry.getKey(), rising(entry.getValue())))
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

  private static List<LoadStep> rising(List<LoadStep> steps) {
    return steps.stream().sorted(Comparator.comparingInt(step -> step.load().clients())).toList();
  }

  /**
   * The most clients with which an objective holds.
   *
   * @throws IllegalArgumentException if it is not shown for the fewest
   */
  Capacity capacity(double p99Millis) {
    LoadStep best = null;
    String basis = "";
    for (LoadStep step : steps) {
      Outcome outcome = Outcome.of(step, p99Millis);
      if (outcome.kind() != Kind.HOLDS) {
        break;
      }
      best = step;
      basis = outcome.reason();
    }
    if (best == null) {
      throw new IllegalArgumentException(
          "p99 below %s ms is not even shown for the fewest clients measured, %,d (%s; %s)"
              .formatted(
                  Text.number(p99Millis),
                  steps.get(0).load().clients(),
                  workload.toText(),
                  Outcome.of(steps.get(0), p99Millis).reason()));
    }
    return breaking(best.load().clients(), basis, p99Millis);
  }

  private Capacity breaking(int clients, String basis, double p99Millis) {
    for (LoadStep step : steps) {
      Outcome outcome = Outcome.of(step, p99Millis);
      if (step.load().clients() > clients && outcome.kind() == Kind.BREAKS) {
        int breaks = step.load().clients();
        return new Capacity(this, clients, basis, breaks, outcome.reason());
      }
    }
    return new Capacity(this, clients, basis, Double.NaN, "no step broke the objective");
  }

  /** What the gateway used in each run with at most so many clients, of those that told. */
  List<GatewayUse> uses(double clients) {
    return steps.stream()
        .filter(step -> step.load().clients() <= clients)
        .flatMap(step -> step.runs().stream())
        .map(GatewayUse::of)
        .filter(GatewayUse::isKnown)
        .toList();
  }
}
