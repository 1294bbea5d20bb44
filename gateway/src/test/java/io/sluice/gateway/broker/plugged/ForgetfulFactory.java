package io.sluice.gateway.broker.plugged;

import io.sluice.gateway.rewriting.WrappedFactory;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import jakarta.jms.TopicSubscriber;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

/**
 * Connection factory with a real client that behaves as those of RabbitMQ and OpenMQ do. It loads
 * classes of messages with the context class loader, does not wait for the broker outside a
 * transaction, deletes only subscriptions that the connection has opened, and fails without a
 * reason if a subscription is one to a pattern.
 */
public final class ForgetfulFactory extends WrappedFactory {
  /** Queue to which no message can be sent. */
  public static final String FULL = "full";

  private static final String LOADER = "ProviderClassLoader";

  @Override
  protected Session wrapped(Session session) {
    return session;
  }

  @Override
  public Connection createConnection() throws JMSException {
    Connection real = super.createConnection();
    Set<String> opened = Collections.synchronizedSet(new HashSet<>());
    return proxy(
        Connection.class,
        (method, arguments) -> {
          Object result = method.invoke(real, arguments);
          return result instanceof Session session ? forgetful(session, opened) : result;
        });
  }

  private static Session forgetful(Session real, Set<String> opened) throws JMSException {
    boolean transacted = real.getTransacted();
    return proxy(
        Session.class,
        (method, arguments) -> {
          if (method.getName().startsWith("createShared")) {
            requireTopic((Topic) arguments[0]);
          }
          if (method.getName().matches("createSharedDurableConsumer|createDurableSubscriber")) {
            opened.add((String) arguments[1]);
          }
          if (method.getName().equals("unsubscribe") && !opened.remove(arguments[0])) {
            return null;
          }
          Object result = method.invoke(real, arguments);
          if (result instanceof MessageProducer producer) {
            return producer(producer, transacted);
          }
          if (result instanceof QueueBrowser browser) {
            return loading(QueueBrowser.class, browser, "getEnumeration");
          }
          if (result instanceof TopicSubscriber subscriber) {
            return loading(TopicSubscriber.class, subscriber, "receive");
          }
          return result instanceof MessageConsumer consumer
              ? loading(MessageConsumer.class, consumer, "receive")
              : result;
        });
  }

  private static void requireTopic(Topic topic) throws JMSException {
    String name = topic.getTopicName();
    if (name.endsWith("#")) {
      throw new JMSException("error 500");
    }
  }

  private static MessageProducer producer(MessageProducer real, boolean transacted) {
    return proxy(
        MessageProducer.class,
        (method, arguments) -> {
          if (!isSendToFull(method, arguments)) {
            return method.invoke(real, arguments);
          }
          if (transacted) {
            throw new JMSException("no space");
          }
          return null;
        });
  }

  private static boolean isSendToFull(Method method, Object[] arguments) throws JMSException {
    return method.getName().equals("send")
        && arguments[0] instanceof Queue queue
        && queue.getQueueName().equals(FULL);
  }

  private static <T> T loading(Class<T> type, T real, String receive) {
    return proxy(
        type,
        (method, arguments) -> {
          ClassLoader context = Thread.currentThread().getContextClassLoader();
          if (method.getName().equals(receive)
              && !context.getClass().getSimpleName().equals(LOADER)) {
            throw new JMSException("the class of the message was not found");
          }
          return method.invoke(real, arguments);
        });
  }
}
