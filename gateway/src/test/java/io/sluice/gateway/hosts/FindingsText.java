package io.sluice.gateway.hosts;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Findings as a table in Markdown, and as comma-separated values. Stateless. */
final class FindingsText {
  private static final String HEAD =
      """
      | step | recovered after, s | balanced after, s | lost | duplicates | gaps \
      | broken connections | moved | longest interruption, s |
      |---|---|---|---|---|---|---|---|---|
      """;

  private static final String COLUMNS =
      """
      step,recovered_s,balanced_s,lost,duplicates,gaps,broken_connections,drained,rebalanced,\
      moved,moved_without_interruption,redirected,longest_interruption_s,max_drained_in_%d_s,\
      max_connects_per_s,clients_per_node,broker_connections
      """
          .formatted(Plan.PACE_S);

  private FindingsText() {}

  /** Returns a table, and the traffic of idle nodes. */
  static String table(Findings findings) {
    StringBuilder text = new StringBuilder(HEAD);
    findings.steps().forEach(step -> text.append(row(step)));
    text.append(between(findings));
    return text.toString();
  }

  /** Returns all values of each step. */
  static String csv(Findings findings) {
    StringBuilder text = new StringBuilder(COLUMNS);
    findings.steps().forEach(step -> text.append(values(step)));
    return text.toString();
  }

  private static String row(StepResult step) {
    Observations seen = step.observations();
    return format(
        "| %s | %.1f | %.1f | %d | %d | %d | %d | %d | %.1f |%n",
        step.name(),
        step.seconds(),
        step.evenSeconds(),
        seen.lost(),
        seen.duplicates(),
        seen.gaps(),
        seen.broken(),
        seen.moved(),
        seen.silenceMs() / 1e3);
  }

  private static String values(StepResult step) {
    Observations seen = step.observations();
    return format(
        "%s,%.1f,%.1f,%d,%d,%d,%d,%d,%d,%d,%d,%d,%.1f,%d,%.0f,%s,%d%n",
        step.name(),
        step.seconds(),
        step.evenSeconds(),
        seen.lost(),
        seen.duplicates(),
        seen.gaps(),
        seen.broken(),
        seen.drained(),
        seen.rebalanced(),
        seen.moved(),
        seen.overlapped(),
        seen.redirected(),
        seen.silenceMs() / 1e3,
        seen.leaving(),
        step.connects(),
        spread(step.spread()),
        step.brokerConnections());
  }

  private static String spread(List<Integer> clients) {
    return clients.stream()
        .map(count -> count < 0 ? "-" : String.valueOf(count))
        .collect(Collectors.joining(" "));
  }

  private static String between(Findings findings) {
    return format(
        "%nIdle, three nodes exchanged %d bytes in %d packets in %d s:"
            + " %.0f bytes per second and pair of nodes, of %.0f allowed.%n",
        findings.traffic().bytes(),
        findings.traffic().packets(),
        findings.plan().quietS(),
        findings.bytesPerPair(),
        findings.maxBytesPerPair());
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
