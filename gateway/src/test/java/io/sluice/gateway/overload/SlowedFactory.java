package io.sluice.gateway.overload;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageListener;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

/**
 * Connection factory with the real client of Artemis or Classic, which delays the listener of one
 * topic: the client's thread waits before it calls the node. The node loads it by {@code
 * broker.connection-factory}.
 */
public final class SlowedFactory implements ConnectionFactory {
  /** The same number as of the node's own Artemis provider. */
  private static final int THREADS = 2;

  private String provider = "artemis";
  private String url = "";
  private String topic = "";
  private int delayMs;

  public void setProvider(String name) {
    provider = name;
  }

  public void setUrl(String brokerUrl) {
    url = brokerUrl;
  }

  /** The topic whose listener is slow. */
  public void setTopic(String name) {
    topic = name;
  }

  /** Sets the time that the client's thread waits before each message of the topic. */
  public void setDelayMs(int milliseconds) {
    delayMs = milliseconds;
  }

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
    return wrapped(Connection.class, real().createConnection(), "createSession", this::session);
  }

  @Override
  public Connection createConnection(String user, String password) throws JMSException {
    return wrapped(
        Connection.class, real().createConnection(user, password), "createSession", this::session);
  }

  private Object session(Object session) {
    return Proxy.newProxyInstance(
        SlowedFactory.class.getClassLoader(),
        new Class<?>[] {Session.class},
        (proxy, method, arguments) -> {
          Object result = invoke(() -> method.invoke(session, arguments));
          boolean slow =
              method.getName().equals("createConsumer")
                  && ((Topic) arguments[0]).getTopicName().equals(topic);
          return slow ? consumer((MessageConsumer) result) : result;
        });
  }

  private MessageConsumer consumer(MessageConsumer consumer) {
    return (MessageConsumer)
        Proxy.newProxyInstance(
            SlowedFactory.class.getClassLoader(),
            new Class<?>[] {MessageConsumer.class},
            (proxy, method, arguments) ->
                method.getName().equals("setMessageListener") && arguments[0] != null
                    ? setListener(consumer, (MessageListener) arguments[0])
                    : invoke(() -> method.invoke(consumer, arguments)));
  }

  private Object setListener(MessageConsumer consumer, MessageListener listener)
      throws JMSException {
    consumer.setMessageListener(message -> deliverLate(listener, message));
    return null;
  }

  private void deliverLate(MessageListener listener, Message message) {
    try {
      TimeUnit.MILLISECONDS.sleep(delayMs);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the client ends its threads
    }
    listener.onMessage(message);
  }

  private static <T> T wrapped(Class<T> type, T real, String method, UnaryOperator<Object> wrap) {
    return type.cast(
        Proxy.newProxyInstance(
            SlowedFactory.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> {
              Object result = invoke(() -> called.invoke(real, arguments));
              return called.getName().equals(method) ? wrap.apply(result) : result;
            }));
  }

  /** Call by reflection. */
  @FunctionalInterface
  private interface Call {
    Object make() throws ReflectiveOperationException;
  }

  private static Object invoke(Call call) throws Throwable {
    try {
      return call.make();
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
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
