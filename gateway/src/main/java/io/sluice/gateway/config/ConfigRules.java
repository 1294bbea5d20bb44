package io.sluice.gateway.config;

import java.util.List;

/** What must hold between several settings, or beyond the form of one. Used once, by one thread. */
final class ConfigRules {
  private ConfigRules() {}

  /** All that does not hold. */
  static List<Problem> problems(ConfigDraft draft) {
    Findings findings = new Findings(draft);
    new LimitRules(findings).check();
    new ServerRules(findings).check();
    new TlsRules(findings).check();
    new AdminRules(findings).check();
    new TokenRules(findings).check();
    new KerberosRules(findings).check();
    new BrokerRules(findings).check();
    new PatternRules(findings).check();
    new DurableRules(findings).check();
    new ClusterRules(findings).check();
    return findings.problems();
  }
}
