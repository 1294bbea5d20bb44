package io.sluice.gateway.hosts;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Findings as a table in Markdown. Stateless. */
final class FindingsText {
  private static final String HEAD =
      """
      | step | until all is well, s | until nodes are even, s | lost | twice | gaps told | broken \
      | told to leave | asked to move | moved | of these, before they broke | sent elsewhere \
      | longest silence, s | most that leave in %d s | most connects a second \
      | clients of each node | connections to the broker |
      |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
      """
          .formatted(Plan.PACE_S);

  private FindingsText() {}

  static String of(Findings findings) {
    StringBuilder text = new StringBuilder(HEAD);
    findings.steps().forEach(step -> text.append(line(step)));
    text.append(between(findings));
    return text.toString();
  }

  private static String line(StepResult step) {
    Sightings seen = step.sightings();
    return format(
        "| %s | %.1f | %.1f | %d | %d | %d | %d | %d | %d | %d | %d | %d | %.1f | %d | %.0f | %s | %d |%n",
        step.name(),
        step.seconds(),
        step.evenSeconds(),
        seen.lost(),
        seen.doubled(),
        seen.told(),
        seen.broken(),
        seen.sentAway(),
        seen.shed(),
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
        .map(count -> count < 0 ? "–" : String.valueOf(count))
        .collect(Collectors.joining(" · "));
  }

  private static String between(Findings findings) {
    return format(
        "%nWhile nothing happened, three nodes sent each other %d bytes in %d packets in %d s:"
            + " %.0f bytes a second for each two of them, of at most %.0f.%n",
        findings.traffic().bytes(),
        findings.traffic().packets(),
        findings.plan().quietS(),
        findings.bytesOfAPair(),
        findings.mostBytesOfAPair());
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
