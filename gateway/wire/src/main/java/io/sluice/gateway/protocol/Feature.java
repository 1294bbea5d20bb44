package io.sluice.gateway.protocol;

import java.util.Locale;

/** Optional features of a node, which depend on its broker: {@code hello} lists them by name. */
public enum Feature {
  /** Delivery delay of publishes. */
  DELAY,
  /** Durable subscriptions of clients. */
  DURABLE,
  /** Presence of clients in topics. */
  PRESENCE,
  /** Idempotent publishes. */
  PUBLISH_ID,
  /** Consumers of queues. */
  QUEUES,
  /** Subscriptions with a selector. */
  SELECTORS,
  /** Shared subscriptions. */
  SHARED,
  /** Acknowledgements in transactions. */
  TRANSACTED_ACKS,
  /** Transactions of publishes. */
  TRANSACTIONS;

  /** Returns the name on the wire. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
