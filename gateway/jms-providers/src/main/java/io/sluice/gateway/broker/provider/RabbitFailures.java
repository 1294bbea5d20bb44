package io.sluice.gateway.broker.provider;

import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Failures of the consumers of RabbitMQ's client. It closes the channel of a consumer if it cannot
 * read a message or the listener takes too long, and reports that nowhere: the topic would lose all
 * later messages. Here it counts as the loss of the connection. Stateless; any thread.
 */
final class RabbitFailures {
  private static final String HOOK = "setAmqpConnectionFactoryPostProcessor";
  private static final String HANDLER = "com.rabbitmq.client.ExceptionHandler";
  private static final String CONSUMER_FAILED = "handleConsumerException";
  private static final String MESSAGE = "com.rabbitmq.jms.client.RMQMessage";

  private RabbitFailures() {}

  /**
   * Runs an action when a consumer of the factory's next connections fails.
   *
   * @return false if the factory is that of another client
   */
  static boolean report(ConnectionFactory factory, Runnable action)
      throws ReflectiveOperationException {
    Method hook;
    try {
      hook = factory.getClass().getMethod(HOOK, Consumer.class);
    } catch (NoSuchMethodException e) {
      return false;
    }
    Consumer<Object> watch = amqp -> watch(amqp, action);
    hook.invoke(factory, watch);
    return true;
  }

  /** Returns whether an exception is that of a message without the format of this client. */
  static boolean isUnreadable(JMSException failure) {
    return Arrays.stream(failure.getStackTrace())
        .anyMatch(frame -> frame.getClassName().equals(MESSAGE));
  }

  // The client's own reconnect would hide the gap: ADR 2.
  private static void watch(Object amqp, Runnable action) {
    try {
      Class<?> type = amqp.getClass();
      Class<?> handler = Class.forName(HANDLER, false, type.getClassLoader());
      Object before = type.getMethod("getExceptionHandler").invoke(amqp);
      type.getMethod("setExceptionHandler", handler).invoke(amqp, handler(handler, before, action));
      type.getMethod("setAutomaticRecoveryEnabled", boolean.class).invoke(amqp, false);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this version of RabbitMQ's client is not supported", e);
    }
  }

  private static Object handler(Class<?> type, Object before, Runnable action) {
    return Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) -> {
          try {
            return method.invoke(before, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          } finally {
            if (method.getName().equals(CONSUMER_FAILED)) {
              action.run();
            }
          }
        });
  }
}
