package io.sluice.gateway.feed;

import jakarta.jms.ConnectionFactory;
import java.util.function.Function;

/** JMS client libraries of a feed, whose producers send asynchronously. Any thread. */
public enum FeedProvider {
  /** Apache Artemis. */
  ARTEMIS(FeedProvider::artemis),
  /** ActiveMQ Classic. */
  CLASSIC(FeedProvider::classic);

  private final Function<String, ConnectionFactory> factories;

  FeedProvider(Function<String, ConnectionFactory> factories) {
    this.factories = factories;
  }

  /**
   * Creates a connection factory for a broker.
   *
   * @throws IllegalArgumentException if the URL is invalid for the provider
   */
  ConnectionFactory factory(String url) {
    try {
      return factories.apply(url);
    } catch (RuntimeException e) {
      Throwable reason = e.getCause() == null ? e : e.getCause();
      throw new IllegalArgumentException(
          "\"" + url + "\" is not a broker URL: " + reason.getMessage(), e);
    }
  }

  private static ConnectionFactory artemis(String url) {
    var factory = new org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory(url);
    factory.setBlockOnDurableSend(false);
    factory.setBlockOnNonDurableSend(false);
    return factory;
  }

  private static ConnectionFactory classic(String url) {
    var factory = new org.apache.activemq.ActiveMQConnectionFactory(url);
    factory.setUseAsyncSend(true);
    return factory;
  }
}
