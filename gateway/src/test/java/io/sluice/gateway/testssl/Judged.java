package io.sluice.gateway.testssl;

import java.util.List;

/**
 * Result of testssl.sh for one port. Immutable.
 *
 * @param port what it is, for people
 * @param findings all of them
 * @param output what it says to people
 */
record Judged(String port, List<Finding> findings, String output) {
  Judged {
    findings = List.copyOf(findings);
  }

  /** Returns whether testssl.sh completed all of its checks. */
  boolean isWhole() {
    return findings.stream().anyMatch(f -> f.id().equals("scanTime"))
        && findings.stream().noneMatch(f -> f.severity().compareTo(Finding.Severity.WARN) >= 0);
  }

  /** Returns the findings that are not acceptable. */
  List<Finding> bad() {
    return findings.stream().filter(Finding::isBad).toList();
  }
}
