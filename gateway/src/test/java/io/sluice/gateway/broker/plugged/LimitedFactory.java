package io.sluice.gateway.broker.plugged;

import io.sluice.gateway.rewriting.WrappedFactory;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.lang.reflect.Method;
import java.util.Arrays;

/**
 * Connection factory with a real client that behaves as some clients do: it closes the connection
 * on a delivery delay, supports no selectors of queues, and has only the methods of JMS 1.1.
 */
public final class LimitedFactory extends WrappedFactory {
  @Override
  protected Session wrapped(Session session) {
    return session;
  }

  @Override
  public Connection createConnection() throws JMSException {
    Connection real = super.createConnection();
    return proxy(
        Connection.class,
        (method, arguments) -> {
          Object result = method.invoke(real, arguments);
          return result instanceof Session session ? limited(session, real) : result;
        });
  }

  private static Session limited(Session real, Connection connection) {
    return proxy(
        Session.class,
        (method, arguments) -> {
          if (method.getName().startsWith("createShared")) {
            throw new AbstractMethodError(method.getName());
          }
          if (isQueueSelector(method, arguments)) {
            throw new UnsupportedOperationException("no selectors of queues");
          }
          Object result = method.invoke(real, arguments);
          return result instanceof MessageProducer producer
              ? closing(producer, connection)
              : result;
        });
  }

  private static boolean isQueueSelector(Method method, Object[] arguments) {
    return (method.getName().equals("createConsumer") || method.getName().equals("createBrowser"))
        && arguments.length > 1
        && arguments[1] != null
        && Arrays.stream(arguments).anyMatch(jakarta.jms.Queue.class::isInstance);
  }

  private static MessageProducer closing(MessageProducer real, Connection connection) {
    return proxy(
        MessageProducer.class,
        (method, arguments) -> {
          if (method.getName().equals("setDeliveryDelay") && (long) arguments[0] > 0) {
            connection.close();
          }
          return method.invoke(real, arguments);
        });
  }
}
