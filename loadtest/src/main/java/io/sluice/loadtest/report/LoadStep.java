package io.sluice.loadtest.report;

import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.statistics.Intervals;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs of a measurement with the same load. Immutable, for any thread. */
public record LoadStep(LoadProfile load, List<MeasuredRun> runs) {

  /** Returns the steps of a measurement, in the order of their first runs. */
  public static List<LoadStep> of(Measurement measurement) {
    Map<LoadProfile, List<MeasuredRun>> byLoad = new LinkedHashMap<>();
    for (MeasuredRun run : measurement.runs()) {
      byLoad.computeIfAbsent(run.load(), load -> new ArrayList<>()).add(run);
    }
    return byLoad.entrySet().stream()
        .map(entry -> new LoadStep(entry.getKey(), List.copyOf(entry.getValue())))
        .toList();
  }

  /** Returns a metric of each client of a run, in milliseconds. */
  public static double[] clients(MeasuredRun run, Since since, LatencyMetric metric) {
    return run.clients().stream().mapToDouble(c -> metric.millis(since.of(c))).toArray();
  }

  /** Returns the mean of a metric over the clients of each run, in milliseconds. */
  public double[] means(Since since, LatencyMetric metric) {
    return means(runs, since, metric);
  }

  private static double[] means(List<MeasuredRun> runs, Since since, LatencyMetric metric) {
    return runs.stream().mapToDouble(run -> mean(run, since, metric)).toArray();
  }

  /**
   * Returns independent samples of a metric: one per process if there are several, otherwise one
   * per run if there are several, otherwise one per client.
   */
  public double[] samples(Since since, LatencyMetric metric) {
    List<List<MeasuredRun>> processes = processes();
    if (processes.size() > 1) {
      return processes.stream()
          .mapToDouble(ofProcess -> Intervals.mean(means(ofProcess, since, metric)))
          .toArray();
    }
    return hasSeveralRuns() ? means(since, metric) : clients(runs.get(0), since, metric);
  }

  /**
   * Returns the runs grouped by gateway process. Runs of unknown processes count as runs of one
   * process.
   */
  public List<List<MeasuredRun>> processes() {
    Map<String, List<MeasuredRun>> byProcess = new LinkedHashMap<>();
    for (MeasuredRun run : runs) {
      byProcess.computeIfAbsent(run.process(), process -> new ArrayList<>()).add(run);
    }
    return List.copyOf(byProcess.values());
  }

  /** Returns whether there are several runs, which allow confidence intervals over runs. */
  public boolean hasSeveralRuns() {
    return runs.size() > 1;
  }

  /** Returns whether a kind of latency was measured. */
  public boolean has(Since since) {
    return runs.stream().allMatch(run -> has(run, since));
  }

  static boolean has(MeasuredRun run, Since since) {
    return run.clients().stream().allMatch(client -> since.of(client) != null);
  }

  static double mean(MeasuredRun run, Since since, LatencyMetric metric) {
    return Intervals.mean(clients(run, since, metric));
  }

  /**
   * Returns the CPU time per frame in microseconds: one sample per run if there are several; may be
   * empty.
   */
  public double[] cpuSamples() {
    List<double[]> ofRuns =
        runs.stream().map(GatewayUsage::of).map(GatewayUsage::microsPerFrame).toList();
    if (ofRuns.stream().anyMatch(samples -> samples.length == 0)) {
      return new double[0];
    }
    return hasSeveralRuns()
        ? ofRuns.stream().mapToDouble(Intervals::mean).toArray()
        : Arrays.copyOf(ofRuns.get(0), ofRuns.get(0).length);
  }
}
