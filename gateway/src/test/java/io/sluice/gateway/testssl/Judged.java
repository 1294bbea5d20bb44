package io.sluice.gateway.testssl;

import java.util.List;

/**
 * One port, and what testssl.sh says of it. Immutable.
 *
 * @param port what it is, for people
 * @param findings all of them
 * @param output what it says to people
 */
record Judged(String port, List<Finding> findings, String output) {
  Judged {
    findings = List.copyOf(findings);
  }

  /** Whether testssl.sh came to its end, and found out all that it wanted to know. */
  boolean isWhole() {
    return findings.stream().anyMatch(f -> f.id().equals("scanTime"))
        && findings.stream().noneMatch(f -> f.severity().compareTo(Finding.Severity.WARN) >= 0);
  }

  /** What has to be mended. */
  List<Finding> bad() {
    return findings.stream().filter(Finding::isBad).toList();
  }
}
