package io.sluice.gateway.feed;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** JMS connection with one producer per topic. Confined to the feed's thread. */
public final class JmsFeedSender implements FeedSender {
  private static final Logger LOG = LoggerFactory.getLogger(JmsFeedSender.class);

  private final Connection connection;
  private final Session session;
  private final MessageProducer[] producers;
  private volatile JMSException lost;

  private JmsFeedSender(Connection connection, FeedPlan plan, boolean persistent)
      throws JMSException {
    this.connection = connection;
    connection.setExceptionListener(e -> lost = e);
    this.session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    this.producers = new MessageProducer[plan.topics()];
    for (int i = 0; i < producers.length; i++) {
      producers[i] = session.createProducer(session.createTopic(plan.topic(i)));
      producers[i].setDeliveryMode(
          persistent ? DeliveryMode.PERSISTENT : DeliveryMode.NON_PERSISTENT);
    }
  }

  /** Returns a source of senders to a broker. */
  public static Source source(FeedTarget target) {
    return source(
        target.provider().factory(target.url()),
        target.user(),
        target.password(),
        target.persistent());
  }

  private static Source source(
      ConnectionFactory factory, String user, String password, boolean persistent) {
    return plan -> {
      try {
        return open(
            user.isEmpty() ? factory.createConnection() : factory.createConnection(user, password),
            plan,
            persistent);
      } catch (JMSException e) {
        throw new IOException(e);
      }
    };
  }

  private static JmsFeedSender open(Connection connection, FeedPlan plan, boolean persistent)
      throws JMSException {
    try {
      return new JmsFeedSender(connection, plan, persistent);
    } catch (JMSException | RuntimeException e) {
      closeQuietly(connection);
      throw e;
    }
  }

  @Override
  public void send(int topic, String text) throws IOException {
    JMSException failure = lost;
    if (failure != null) {
      throw new IOException(failure);
    }
    try {
      producers[topic].send(session.createTextMessage(text));
    } catch (JMSException e) {
      throw new IOException(e);
    }
  }

  @Override
  public void close() {
    closeQuietly(connection);
  }

  /** Closes a connection that may have failed before. */
  private static void closeQuietly(Connection connection) {
    try {
      connection.close();
    } catch (JMSException e) {
      LOG.atDebug().setCause(e).log("feed.close-failed");
    }
  }
}
