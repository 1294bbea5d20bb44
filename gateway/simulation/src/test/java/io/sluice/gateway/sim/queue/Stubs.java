package io.sluice.gateway.sim.queue;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageListener;
import jakarta.jms.Session;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import org.apache.activemq.command.ActiveMQTempQueue;

/** JMS objects of a simulated connection, as far as a node uses them. */
final class Stubs {
  private Stubs() {}

  private static <T> T stub(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static Object unexpected(String method) {
    throw new UnsupportedOperationException(method);
  }

  static Connection connection(ProviderLink link) {
    return stub(
        Connection.class,
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "start", "toString" -> null;
              case "close" -> {
                link.closeAtNode();
                yield null;
              }
              case "createSession" -> session(link);
              default -> unexpected(method.getName());
            });
  }

  private static Session session(ProviderLink link) {
    return stub(
        Session.class,
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "createTemporaryQueue" -> new ActiveMQTempQueue(link.openReplyQueue());
              case "createConsumer" -> consumer(link);
              default -> unexpected(method.getName());
            });
  }

  private static MessageConsumer consumer(ProviderLink link) {
    return stub(
        MessageConsumer.class,
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "setMessageListener" -> {
                link.listen((MessageListener) arguments[0]);
                yield null;
              }
              case "getMessageListener" -> listener(link);
              default -> unexpected(method.getName());
            });
  }

  private static MessageListener listener(ProviderLink link) throws JMSException {
    return link.listener();
  }
}
