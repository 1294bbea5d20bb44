package io.sluice.gateway.feed;

import jakarta.jms.ConnectionFactory;
import java.util.function.Function;

/** The JMS clients that a feed can use. Their producers never wait for the broker's answer. */
public enum Provider {
  /** Apache Artemis. */
  ARTEMIS(Provider::artemis),
  /** ActiveMQ Classic. */
  CLASSIC(Provider::classic);

  private final Function<String, ConnectionFactory> factories;

  Provider(Function<String, ConnectionFactory> factories) {
    this.factories = factories;
  }

  /**
   * Connections to that broker.
   *
   * @throws IllegalArgumentException if the provider can't read the URL
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
