package io.sluice.loadtest.broker.result;

import io.sluice.loadtest.broker.workload.BrokerWorkload;
import io.sluice.loadtest.broker.workload.Persistence;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Results of all runs of a case. Immutable, for any thread.
 *
 * @param broker name and version, as reported by the JMS client
 */
public record CaseResult(
    String name,
    BrokerWorkload workload,
    Persistence delivery,
    String broker,
    List<TrialResult> runs) {

  /** Returns one figure per run. */
  double[] each(ToDoubleFunction<TrialResult> figure) {
    return runs.stream().mapToDouble(figure).toArray();
  }
}
