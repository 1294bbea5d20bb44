package io.sluice.gateway.rewriting;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageListener;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

/**
 * Connection factory with the real client of Artemis or Classic, which rewrites headers of the
 * messages that it delivers, at random. The node loads it by {@code broker.connection-factory}.
 */
public final class RewritingFactory implements ConnectionFactory {
  /** Ids that the consumers of this factory receive. */
  public enum Ids {
    /** Those of the broker. */
    KEPT,
    /** Different for each consumer, as IBM MQ documents it. */
    PER_CONSUMER,
    /** Different for each factory, equal for its consumers. */
    PER_FACTORY,
    /** A small number of ids, each for many messages. */
    REPEATED,
    CONSTANT,
    MISSING,
    /** Now and then one of the others. */
    MIXED
  }

  private static final int REPEATED_IDS = 7;
  private static final int ODDITY = 5;
  private static final int MAX_DELAY_MS = 1_000;

  private static final Ids[] ALL = Ids.values();

  private final AtomicLong consumers = new AtomicLong();
  private String provider = "artemis";
  private String url = "";
  private long seed;
  private Ids ids = Ids.KEPT;
  private boolean priorities;
  private boolean delays;
  private boolean redeliveries;

  public void setProvider(String name) {
    provider = name;
  }

  public void setUrl(String brokerUrl) {
    url = brokerUrl;
  }

  public void setSeed(long number) {
    seed = number;
  }

  public void setIds(String name) {
    ids = Ids.valueOf(name);
  }

  /** Delivers one in five messages with another priority. */
  public void setPriorities(boolean value) {
    priorities = value;
  }

  /** Sends one in five messages with a delay. */
  public void setDelays(boolean value) {
    delays = value;
  }

  /** Marks one in five messages as redelivered. */
  public void setRedeliveries(boolean value) {
    redeliveries = value;
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
    artemis.setThreadPoolMaxSize(2);
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
          return result instanceof Session session ? session(session) : result;
        });
  }

  private Session session(Session real) {
    return proxy(
        Session.class,
        (method, arguments) -> {
          Object result = method.invoke(real, arguments);
          if (result instanceof MessageConsumer consumer) {
            return consumer(consumer);
          }
          return delays && result instanceof MessageProducer producer ? producer(producer) : result;
        });
  }

  private MessageProducer producer(MessageProducer real) {
    Random random = new Random(seed);
    return proxy(
        MessageProducer.class,
        (method, arguments) -> {
          if (method.getName().equals("send") && random.nextInt(ODDITY) == 0) {
            real.setDeliveryDelay(random.nextInt(MAX_DELAY_MS));
          }
          return method.invoke(real, arguments);
        });
  }

  private MessageConsumer consumer(MessageConsumer real) {
    Rewriter rewriter = new Rewriter(consumers.incrementAndGet());
    Class<?> type =
        real instanceof jakarta.jms.TopicSubscriber
            ? jakarta.jms.TopicSubscriber.class
            : MessageConsumer.class;
    return (MessageConsumer)
        proxy(
            type,
            (method, arguments) -> {
              if (method.getName().equals("setMessageListener") && arguments[0] != null) {
                MessageListener listener = (MessageListener) arguments[0];
                real.setMessageListener(message -> listener.onMessage(rewriter.rewritten(message)));
                return null;
              }
              Object result = method.invoke(real, arguments);
              return result instanceof Message message ? rewriter.rewritten(message) : result;
            });
  }

  /** Rewriter of one consumer's messages. Used by one thread at a time. */
  private final class Rewriter {
    private final long consumer;
    private final Random random;

    Rewriter(long consumer) {
      this.consumer = consumer;
      this.random = new Random(seed + consumer);
    }

    Message rewritten(Message real) {
      try {
        String id = id(real.getJMSMessageID(), ids);
        boolean odd = random.nextInt(ODDITY) == 0;
        int priority = priorities && odd ? random.nextInt(10) : real.getJMSPriority();
        boolean redelivered =
            real.getJMSRedelivered() || redeliveries && random.nextInt(ODDITY) == 0;
        return (Message)
            Proxy.newProxyInstance(
                RewritingFactory.class.getClassLoader(),
                new Class<?>[] {type(real)},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "getJMSMessageID" -> id;
                      case "getJMSPriority" -> priority;
                      case "getJMSRedelivered" -> redelivered;
                      default -> called(() -> method.invoke(real, arguments));
                    });
      } catch (JMSException e) {
        throw new AssertionError(e);
      }
    }

    private String id(String real, Ids kind) {
      return switch (kind) {
        case KEPT -> real;
        case PER_CONSUMER -> real + "-" + seed + "-" + consumer;
        case PER_FACTORY -> real + "-" + seed;
        case REPEATED -> "ID:" + random.nextInt(REPEATED_IDS);
        case CONSTANT -> "ID:constant";
        case MISSING -> null;
        case MIXED ->
            id(real, random.nextInt(ODDITY) == 0 ? ALL[random.nextInt(ALL.length - 1)] : Ids.KEPT);
      };
    }
  }

  private static Class<?> type(Message message) {
    for (Class<?> each :
        new Class<?>[] {
          jakarta.jms.TextMessage.class,
          jakarta.jms.BytesMessage.class,
          jakarta.jms.MapMessage.class,
          jakarta.jms.StreamMessage.class,
          jakarta.jms.ObjectMessage.class
        }) {
      if (each.isInstance(message)) {
        return each;
      }
    }
    return Message.class;
  }

  /** Body of a call of a proxy. */
  @FunctionalInterface
  private interface Body {
    Object call(Method method, Object[] arguments)
        throws ReflectiveOperationException, JMSException;
  }

  /** Call by reflection. */
  @FunctionalInterface
  private interface Call {
    Object make() throws ReflectiveOperationException, JMSException;
  }

  private static <T> T proxy(Class<T> type, Body body) {
    return type.cast(
        Proxy.newProxyInstance(
            RewritingFactory.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> called(() -> body.call(method, arguments))));
  }

  private static Object called(Call call) throws Throwable {
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
