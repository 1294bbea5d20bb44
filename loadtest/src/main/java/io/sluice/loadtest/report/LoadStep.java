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

/** All runs of a measurement that had the same load. Immutable. */
public record LoadStep(LoadProfile load, List<MeasuredRun> runs) {

  /** The steps of a measurement, in the order in which their loads first came. */
  public static List<LoadStep> of(Measurement measurement) {
    Map<LoadProfile, List<MeasuredRun>> byLoad = new LinkedHashMap<>();
    for (MeasuredRun run : measurement.runs()) {
      byLoad.computeIfAbsent(run.load(), load -> new ArrayList<>()).add(run);
    }
    return byLoad.entrySet().stream()
        .map(entry -> new LoadStep(entry.getKey(), List.copyOf(entry.getValue())))
        .toList();
  }

  /** A figure of each client of a run, in milliseconds. */
  public static double[] clients(MeasuredRun run, Since since, Figure figure) {
    return run.clients().stream().mapToDouble(c -> figure.millis(since.of(c))).toArray();
  }

  /** The mean of a figure over the clients of each run, in milliseconds. */
  public double[] means(Since since, Figure figure) {
    return runs.stream().mapToDouble(run -> mean(run, since, figure)).toArray();
  }

  /** Independent samples of a figure: one a run if there are several, otherwise one a client. */
  public double[] samples(Since since, Figure figure) {
    return hasSeveralRuns() ? means(since, figure) : clients(runs.get(0), since, figure);
  }

  /** Whether the runs can stand for each other, so that intervals over runs exist. */
  public boolean hasSeveralRuns() {
    return runs.size() > 1;
  }

  /** Whether such latencies were measured. */
  public boolean has(Since since) {
    return runs.stream().allMatch(run -> has(run, since));
  }

  static boolean has(MeasuredRun run, Since since) {
    return run.clients().stream().allMatch(client -> since.of(client) != null);
  }

  static double mean(MeasuredRun run, Since since, Figure figure) {
    return Intervals.mean(clients(run, since, figure));
  }

  /** CPU time a frame in microseconds: one sample a run if there are several; maybe empty. */
  public double[] cpuSamples() {
    List<double[]> ofRuns =
        runs.stream().map(GatewayUse::of).map(GatewayUse::microsAFrame).toList();
    if (ofRuns.stream().anyMatch(samples -> samples.length == 0)) {
      return new double[0];
    }
    return hasSeveralRuns()
        ? ofRuns.stream().mapToDouble(Intervals::mean).toArray()
        : Arrays.copyOf(ofRuns.get(0), ofRuns.get(0).length);
  }
}
