package io.sluice.gateway.broker.provider;

import io.sluice.gateway.protocol.TopicRules;
import java.util.function.Predicate;

/**
 * Conversion of the broker's names of topics and queues to Sluice's: docs/PROTOCOL.md, section 2. A
 * name has a counterpart only if clients can use it, and it leads back to the same name. Immutable,
 * for any thread.
 */
public final class BrokerNames {
  private final Wildcards wildcards;
  private final Predicate<String> plain;
  private final TopicRules rules;

  /**
   * Creates a conversion.
   *
   * @param plain whether a name in Sluice's syntax has no special meaning for the broker
   * @param rules those for names that clients use
   */
  public BrokerNames(Wildcards wildcards, Predicate<String> plain, TopicRules rules) {
    this.wildcards = wildcards;
    this.plain = plain;
    this.rules = rules;
  }

  /** Returns the name in Sluice's syntax; null if the broker's name, or null, has none. */
  public String fromBroker(String name) {
    return name == null || problem(name) != null ? null : shown(name);
  }

  /** Returns the reason for which a name of the broker has no counterpart; null if it has one. */
  public String problem(String name) {
    String topic = shown(name);
    TopicRules.Problem problem = rules.checkTopic(topic);
    if (problem != null) {
      return problem.message();
    }
    boolean usable = plain.test(topic) && wildcards.toProvider(topic).equals(name);
    return usable ? null : "the name has a special meaning for the broker";
  }

  /** Returns a text for a name of the broker. If the name has no counterpart, clients refuse it. */
  public String shown(String name) {
    return wildcards.fromProvider(name);
  }
}
