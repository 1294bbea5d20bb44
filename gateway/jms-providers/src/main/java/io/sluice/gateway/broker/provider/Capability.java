package io.sluice.gateway.broker.provider;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Behavior that JMS providers have in different degrees. */
public enum Capability {
  /** Delivery delay of publishes. */
  DELAY,
  /** Durable subscriptions of clients. */
  DURABLE,
  /** Durable subscriptions to patterns, of clients and of the node. */
  DURABLE_PATTERNS,
  /** Subscriptions to patterns where the node cannot prove them. */
  PATTERNS,
  /** Selectors of consumers and browsers of queues. */
  QUEUE_SELECTORS,
  /** Shared subscriptions. */
  SHARED,
  /** Shared subscriptions to patterns. */
  SHARED_PATTERNS,
  /** Acknowledgements in transactions. */
  TRANSACTED_ACKS,
  /** Transactions of publishes. */
  TRANSACTIONS;

  /** Capabilities of a provider of JMS 2 that was not checked. */
  static final Set<Capability> ASSUMED = Set.of(DURABLE, TRANSACTED_ACKS, TRANSACTIONS);

  /** Returns the name in the configuration and in reports. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the capability of a name. */
  static Optional<Capability> of(String word) {
    return Arrays.stream(values()).filter(each -> each.word().equals(word)).findFirst();
  }

  /** Returns all names. */
  static List<String> words() {
    return Arrays.stream(values()).map(Capability::word).toList();
  }
}
