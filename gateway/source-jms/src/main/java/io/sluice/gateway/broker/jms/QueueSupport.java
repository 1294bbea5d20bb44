package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Queues;
import io.sluice.gateway.broker.Requests;
import io.sluice.gateway.protocol.Feature;
import java.util.EnumSet;
import java.util.Set;

/**
 * Queues and requests of a {@link JmsBroker}, whose module may be missing. Any thread; {@link
 * #stop} may wait for a short time.
 */
public interface QueueSupport {
  /** Factory of a broker's queues and requests. */
  @FunctionalInterface
  interface Factory {
    /** Creates the queues and requests of a broker that is not connected yet. */
    QueueSupport create(BrokerAccess broker);
  }

  /** Support without the module: clients can use topics only. */
  Factory ABSENT = broker -> new QueueSupport() {};

  /** Returns the queues; null without the module. */
  default Queues queues() {
    return null;
  }

  /** Returns the requests; null without the module. */
  default Requests requests() {
    return null;
  }

  /** Returns those of a provider's features that clients can use: of publishes only. */
  default Set<Feature> usable(Set<Feature> features) {
    Set<Feature> usable = EnumSet.of(Feature.DELAY, Feature.PUBLISH_ID);
    usable.retainAll(features);
    return usable;
  }

  /** Handles a connect of the node. */
  default void onBrokerConnected() {}

  /** Handles the loss of the node's connection. */
  default void onBrokerLost() {}

  /** Ends all consumers and requests, and closes their connections. */
  default void stop() {}
}
