package io.sluice.gateway.auth;

import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import java.util.ArrayList;
import java.util.List;

/**
 * What is wrong with the files that {@link Access#open} would use, for those who ask before it.
 * Stateless, for any thread; asks nobody else, and writes nothing.
 */
public final class AuthFiles {
  private AuthFiles() {}

  /** Reports files that cannot be used. */
  public static void check(ConfigFindings findings) {
    for (UnusableAuth each : problems(findings.config())) {
      findings.report(each.what(), "", each.setting());
    }
    AuditFile.check(findings);
  }

  private static List<UnusableAuth> problems(Config config) {
    List<UnusableAuth> problems = new ArrayList<>(KeyFiles.problems(config));
    String trust = config.get(AuthSettings.TRUST);
    if (!trust.isEmpty()) {
      tell(problems, () -> IssuerTrust.read(trust));
    }
    if (!config.get(AuthSettings.KERBEROS_KEYTAB).isEmpty()) {
      tell(problems, () -> ServiceKeys.open(config));
    }
    return problems;
  }

  @FunctionalInterface
  private interface Check {
    void run() throws UnusableAuth;
  }

  private static void tell(List<UnusableAuth> problems, Check check) {
    try {
      check.run();
    } catch (UnusableAuth e) {
      problems.add(e);
    }
  }
}
