package io.sluice.gateway.config;

import io.sluice.gateway.auth.AuthRules;
import io.sluice.gateway.broker.jms.BrokerRules;
import io.sluice.gateway.broker.kafka.KafkaRules;
import io.sluice.gateway.broker.nats.NatsRules;
import io.sluice.gateway.link.LinkRules;
import io.sluice.gateway.membership.ClusterRules;
import java.util.List;

/** Rules of all modules, which read no certificates and keys. Stateless. */
final class AllRules {
  private AllRules() {}

  /** Returns the problems of values that were read. */
  static List<Problem> problems(ConfigDraft draft) {
    ConfigFindings findings = new ConfigFindings(draft);
    ConfigRules.check(findings);
    AuthRules.check(findings);
    BrokerRules.check(findings);
    KafkaRules.check(findings);
    NatsRules.check(findings);
    LinkRules.check(findings);
    ClusterRules.check(findings);
    return findings.problems();
  }
}
