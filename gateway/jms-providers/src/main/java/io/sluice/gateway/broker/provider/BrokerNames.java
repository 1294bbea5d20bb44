package io.sluice.gateway.broker.provider;

import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.protocol.TopicRules;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Conversion of the broker's names of topics and queues to Sluice's: docs/PROTOCOL.md, section 2. A
 * name has a counterpart only if clients can use it, and it leads back to the same name. Immutable,
 * for any thread.
 */
public final class BrokerNames {
  /**
   * First levels of the names that brokers use for management, statistics, advisories and their
   * clusters: Artemis, HornetQ, ActiveMQ Classic, IBM MQ, OpenMQ, Qpid and RabbitMQ.
   */
  private static final Set<String> INTERNAL =
      Set.of("activemq", "hornetq", "ActiveMQ", "SYSTEM", "AMQ", "mq", "qmf", "amq");

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

  /**
   * Returns whether any broker uses a topic, a pattern with a literal first level, or a queue
   * internally. Names that begin with {@code $} are internal.
   *
   * @param allowed patterns of names that count as clients' names
   */
  static boolean isInternal(String name, List<String> allowed) {
    int dot = name.indexOf('.');
    boolean internal = name.startsWith("$") || dot > 0 && INTERNAL.contains(name.substring(0, dot));
    return internal && !TopicPattern.anyCovers(allowed, name);
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
