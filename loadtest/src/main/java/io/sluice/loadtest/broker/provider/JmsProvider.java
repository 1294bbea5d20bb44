package io.sluice.loadtest.broker.provider;

import io.sluice.loadtest.broker.price.PriceUpdate;
import io.sluice.loadtest.broker.workload.BrokerWorkload;
import io.sluice.loadtest.broker.workload.OptionName;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import java.util.Hashtable;
import java.util.List;
import javax.naming.InitialContext;
import javax.naming.NamingException;

/**
 * JMS client libraries that can be measured, named as in the gateway. Immutable, for any thread.
 *
 * <p>Outside of transactions, each send waits for the broker's confirmation. In a transaction, only
 * the commit waits.
 */
public enum JmsProvider {
  /** Apache Artemis. */
  ARTEMIS {
    @Override
    ConnectionFactory factory(BrokerTarget target, boolean transacted) throws JMSException {
      var factory = new org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory();
      factory.setBrokerURL(target.url());
      factory.setBlockOnDurableSend(true);
      factory.setBlockOnNonDurableSend(true);
      factory.setDeserializationAllowList(String.join(",", SERIALIZABLE));
      return factory;
    }
  },
  /** ActiveMQ Classic. */
  CLASSIC {
    @Override
    ConnectionFactory factory(BrokerTarget target, boolean transacted) {
      var factory = new org.apache.activemq.ActiveMQConnectionFactory(target.url());
      factory.setUseAsyncSend(false);
      factory.setAlwaysSyncSend(!transacted);
      factory.setWatchTopicAdvisories(false);
      factory.setTrustedPackages(SERIALIZABLE);
      return factory;
    }
  },
  /** Connection factory from a JNDI lookup. Its configuration determines whether sends wait. */
  JNDI {
    @Override
    ConnectionFactory factory(BrokerTarget target, boolean transacted) throws NamingException {
      InitialContext context = new InitialContext(new Hashtable<>(target.jndiEnvironment()));
      try {
        Object found = context.lookup(target.jndiName());
        if (found instanceof ConnectionFactory factory) {
          return factory;
        }
        throw new IllegalArgumentException(
            "JNDI name " + target.jndiName() + ": expected a jakarta.jms.ConnectionFactory");
      } finally {
        context.close();
      }
    }
  };

  /** Packages of the classes in object messages of this program; others are not loaded. */
  private static final List<String> SERIALIZABLE =
      List.of(
          BrokerWorkload.class.getPackageName(),
          PriceUpdate.class.getPackageName(),
          "java.lang",
          "java.util");

  /**
   * Returns a connection factory of a broker.
   *
   * @param transacted whether the sessions will be transacted
   * @throws IllegalArgumentException if the lookup finds another type
   */
  abstract ConnectionFactory factory(BrokerTarget target, boolean transacted)
      throws JMSException, NamingException;

  /** Returns the name on the command line. */
  @Override
  public String toString() {
    return OptionName.of(this);
  }
}
