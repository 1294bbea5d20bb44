package io.sluice.loadtest.report;

/**
 * Options of a comparison. Immutable, for any thread.
 *
 * @param since start of latencies
 * @param allowDifferentLoads whether measurements of different loads are compared; the comparison
 *     then lists their differences
 * @param acceptOneProcess whether runs of one process on a side yield verdicts, which then apply to
 *     this process only
 */
public record ComparisonOptions(
    Since since, boolean allowDifferentLoads, boolean acceptOneProcess) {
  /** Latencies since sending, equal loads, and several processes. */
  public static final ComparisonOptions DEFAULT = new ComparisonOptions(Since.DUE, false, false);
}
