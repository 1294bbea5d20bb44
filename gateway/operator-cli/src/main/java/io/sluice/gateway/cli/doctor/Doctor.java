package io.sluice.gateway.cli.doctor;

import io.sluice.gateway.cli.doctor.Finding.Verdict;
import java.util.List;
import java.util.stream.Stream;

/**
 * Result of the checks of a machine. Immutable, for any thread.
 *
 * @param clients planned number of clients
 */
public record Doctor(int clients, List<Finding> findings) {
  /** Runs all checks, which change nothing. */
  public static Doctor examine(Machine machine, Requirements requirements, JavaFacts java) {
    List<Finding> findings =
        Stream.of(
                DescriptorChecks.of(machine, requirements),
                NetworkChecks.of(machine, requirements),
                BufferChecks.of(machine, requirements),
                MemoryChecks.of(machine, requirements, java),
                SystemChecks.of(machine, java),
                HistoryChecks.of(requirements),
                IdentityChecks.of(requirements.config()))
            .flatMap(List::stream)
            .toList();
    return new Doctor(requirements.clients(), findings);
  }

  /** Returns these findings and others. */
  public Doctor with(List<Finding> others) {
    return new Doctor(clients, Stream.concat(findings.stream(), others.stream()).toList());
  }

  /** Returns the number of findings with a verdict. */
  public long count(Verdict verdict) {
    return findings.stream().filter(finding -> finding.verdict() == verdict).count();
  }
}
