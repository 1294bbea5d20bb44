package io.sluice.loadtest.broker.result;

import io.sluice.loadtest.broker.workload.BrokerWorkload;
import io.sluice.loadtest.broker.workload.Persistence;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * All runs of a row. Immutable.
 *
 * @param broker name and version, as the JMS client tells them
 */
public record CaseResult(
    String name,
    BrokerWorkload workload,
    Persistence delivery,
    String broker,
    List<TrialResult> runs) {

  /** One figure a run. */
  double[] each(ToDoubleFunction<TrialResult> figure) {
    return runs.stream().mapToDouble(figure).toArray();
  }
}
