package io.sluice.loadtest.broker.provider;

import io.sluice.loadtest.broker.workload.Words;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import java.util.Hashtable;
import javax.naming.InitialContext;
import javax.naming.NamingException;

/**
 * JMS client libraries that can be measured, under the names of the gateway. Outside of
 * transactions each send waits for the broker's answer; in a transaction its end does.
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
      return factory;
    }
  },
  /** What a JNDI lookup gives; whether its sends wait is up to how it is configured there. */
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

  /**
   * Connections to a broker.
   *
   * @param transacted whether their sessions will be
   * @throws IllegalArgumentException if what is found is no such thing
   */
  abstract ConnectionFactory factory(BrokerTarget target, boolean transacted)
      throws JMSException, NamingException;

  /** As on the command line. */
  @Override
  public String toString() {
    return Words.of(this);
  }
}
