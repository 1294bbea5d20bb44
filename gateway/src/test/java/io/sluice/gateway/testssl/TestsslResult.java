package io.sluice.gateway.testssl;

import java.util.List;

/**
 * Result of testssl.sh for one port. Immutable.
 *
 * @param port description of the port
 * @param findings all findings
 * @param output text output
 */
record TestsslResult(String port, List<Finding> findings, String output) {
  TestsslResult {
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
