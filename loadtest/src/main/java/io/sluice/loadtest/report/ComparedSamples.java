package io.sluice.loadtest.report;

import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.RunOrigin;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * Independent samples of two load steps. Each sample is a group of runs. Immutable, for any thread.
 *
 * @param basis of the comparison
 * @param baseline samples of the baseline; in pairs with those of the candidate if the basis is
 *     paired
 */
record ComparedSamples(
    Basis basis, List<List<MeasuredRun>> baseline, List<List<MeasuredRun>> candidate) {

  /** Selects the strongest basis that both steps allow. */
  static ComparedSamples of(LoadStep before, LoadStep after) {
    List<List<MeasuredRun>> a = new ArrayList<>();
    List<List<MeasuredRun>> b = new ArrayList<>();
    pair(blocks(before), blocks(after), a, b);
    if (a.size() > 1 && processes(a) == a.size() && processes(b) == b.size()) {
      return new ComparedSamples(Basis.BLOCKS, a, b);
    }
    if (before.processes().size() > 1 && after.processes().size() > 1) {
      return new ComparedSamples(Basis.PROCESSES, before.processes(), after.processes());
    }
    if (a.size() > 1) {
      return new ComparedSamples(Basis.BLOCKS_OF_ONE_PROCESS, a, b);
    }
    boolean severalRuns = before.hasSeveralRuns() && after.hasSeveralRuns();
    return new ComparedSamples(
        severalRuns ? Basis.RUNS_OF_ONE_PROCESS : Basis.CLIENTS,
        before.runs().stream().map(List::of).toList(),
        after.runs().stream().map(List::of).toList());
  }

  private static void pair(
      Map<String, MeasuredRun> before,
      Map<String, MeasuredRun> after,
      List<List<MeasuredRun>> a,
      List<List<MeasuredRun>> b) {
    before.forEach(
        (block, run) -> {
          MeasuredRun other = after.get(block);
          if (other != null && !other.origin().system().equals(run.origin().system())) {
            a.add(List.of(run));
            b.add(List.of(other));
          }
        });
  }

  /** Returns the runs of A/B tests by test and block. */
  private static Map<String, MeasuredRun> blocks(LoadStep step) {
    Map<String, MeasuredRun> blocks = new TreeMap<>();
    for (MeasuredRun run : step.runs()) {
      RunOrigin origin = run.origin();
      if (origin != null && origin.blocked()) {
        blocks.put("%s %06d".formatted(origin.experiment(), origin.block()), run);
      }
    }
    return blocks;
  }

  private static long processes(List<List<MeasuredRun>> samples) {
    return samples.stream()
        .flatMap(Collection::stream)
        .map(MeasuredRun::process)
        .filter(process -> !process.isEmpty())
        .distinct()
        .count();
  }

  /** Returns a figure of each sample of the baseline: the mean over its runs. */
  double[] ofBaseline(ToDoubleFunction<MeasuredRun> figure) {
    return means(baseline, figure);
  }

  /** Returns a figure of each sample of the candidate: the mean over its runs. */
  double[] ofCandidate(ToDoubleFunction<MeasuredRun> figure) {
    return means(candidate, figure);
  }

  private static double[] means(
      List<List<MeasuredRun>> samples, ToDoubleFunction<MeasuredRun> figure) {
    return samples.stream()
        .mapToDouble(runs -> runs.stream().mapToDouble(figure).average().orElse(Double.NaN))
        .toArray();
  }

  /** Meaning of a sample, from the strongest to the weakest evidence. */
  enum Basis {
    /** Pairs of runs in the blocks of an A/B test, each run with its own process. */
    BLOCKS(true, true),
    /** Processes, each with the mean over its runs. */
    PROCESSES(false, true),
    /** Pairs of runs in blocks, with processes that were not restarted. */
    BLOCKS_OF_ONE_PROCESS(true, false),
    /** Runs of one process on each side. */
    RUNS_OF_ONE_PROCESS(false, false),
    /** Clients, or for CPU time segments of a run. */
    CLIENTS(false, false);

    private final boolean paired;
    private final boolean independent;

    Basis(boolean paired, boolean independent) {
      this.paired = paired;
      this.independent = independent;
    }

    /** Returns whether the samples of both sides form pairs. */
    boolean isPaired() {
      return paired;
    }

    /** Returns whether the interval applies to further processes. */
    boolean appliesToFurtherProcesses() {
      return independent;
    }
  }
}
