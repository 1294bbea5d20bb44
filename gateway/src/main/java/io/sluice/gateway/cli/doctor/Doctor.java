package io.sluice.gateway.cli.doctor;

import io.sluice.gateway.cli.doctor.Finding.Verdict;
import java.util.List;
import java.util.stream.Stream;

/**
 * What was found of a machine that a node is meant to run on. Immutable, for any thread.
 *
 * @param clients that it is meant for
 */
public record Doctor(int clients, List<Finding> findings) {
  /** Looks at everything; changes nothing. */
  public static Doctor examine(Machine machine, Need need, JavaFacts java) {
    List<Finding> findings =
        Stream.of(
                DescriptorChecks.of(machine, need),
                NetworkChecks.of(machine, need),
                BufferChecks.of(machine, need),
                MemoryChecks.of(machine, need, java),
                SystemChecks.of(machine, java))
            .flatMap(List::stream)
            .toList();
    return new Doctor(need.clients(), findings);
  }

  /** How many there are of one kind. */
  public long count(Verdict verdict) {
    return findings.stream().filter(finding -> finding.verdict() == verdict).count();
  }
}
