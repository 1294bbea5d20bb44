package io.sluice.gateway.rewriting;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageListener;
import jakarta.jms.Session;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.UnaryOperator;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

/**
 * Connection factory with the real client of Artemis or Classic, whose sessions are wrapped. The
 * node loads it by {@code broker.connection-factory}.
 */
public abstract class WrappedFactory implements ConnectionFactory {
  /** The same number as of the node's own Artemis provider. */
  private static final int THREADS = 2;

  private String provider = "artemis";
  private String url = "";

  public void setProvider(String name) {
    provider = name;
  }

  public void setUrl(String brokerUrl) {
    url = brokerUrl;
  }

  /** Returns a wrapper of a session, or the session. */
  protected abstract Session wrapped(Session session);

  private ConnectionFactory real() {
    if (provider.equals("classic")) {
      var classic = new org.apache.activemq.ActiveMQConnectionFactory(url);
      classic.setWatchTopicAdvisories(false);
      return classic;
    }
    ActiveMQConnectionFactory artemis = new ActiveMQConnectionFactory(url);
    artemis.setReconnectAttempts(0);
    artemis.setUseGlobalPools(false);
    artemis.setThreadPoolMaxSize(THREADS);
    return artemis;
  }

  @Override
  public Connection createConnection() throws JMSException {
    return connection(real().createConnection());
  }

  @Override
  public Connection createConnection(String user, String password) throws JMSException {
    return connection(real().createConnection(user, password));
  }

  private Connection connection(Connection real) {
    return proxy(
        Connection.class,
        (method, arguments) -> {
          Object result = method.invoke(real, arguments);
          return result instanceof Session session ? wrapped(session) : result;
        });
  }

  /** Wraps a consumer: its messages pass this function on their way to the caller or listener. */
  protected static MessageConsumer consumer(MessageConsumer real, UnaryOperator<Message> function) {
    Class<? extends MessageConsumer> type =
        real instanceof jakarta.jms.TopicSubscriber
            ? jakarta.jms.TopicSubscriber.class
            : MessageConsumer.class;
    return proxy(
        type,
        (method, arguments) -> {
          if (method.getName().equals("setMessageListener") && arguments[0] != null) {
            MessageListener listener = (MessageListener) arguments[0];
            real.setMessageListener(message -> listener.onMessage(function.apply(message)));
            return null;
          }
          Object result = method.invoke(real, arguments);
          return result instanceof Message message ? function.apply(message) : result;
        });
  }

  /** Body of a call of a proxy. */
  @FunctionalInterface
  protected interface Body {
    Object call(Method method, Object[] arguments)
        throws ReflectiveOperationException, JMSException;
  }

  /** Returns an object of a type whose calls run a body. */
  protected static <T> T proxy(Class<T> type, Body body) {
    return type.cast(
        Proxy.newProxyInstance(
            WrappedFactory.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              try {
                return body.call(method, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  @Override
  public JMSContext createContext() {
    throw new UnsupportedOperationException();
  }

  @Override
  public JMSContext createContext(String user, String password) {
    throw new UnsupportedOperationException();
  }

  @Override
  public JMSContext createContext(String user, String password, int mode) {
    throw new UnsupportedOperationException();
  }

  @Override
  public JMSContext createContext(int mode) {
    throw new UnsupportedOperationException();
  }
}
