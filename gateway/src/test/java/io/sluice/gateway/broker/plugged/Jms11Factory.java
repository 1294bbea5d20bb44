package io.sluice.gateway.broker.plugged;

import io.sluice.gateway.rewriting.WrappedFactory;
import jakarta.jms.BytesMessage;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.ObjectMessage;
import jakarta.jms.Session;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * Connection factory with a real client whose objects have only the methods of JMS 1.1. Others
 * throw what old clients throw.
 */
public final class Jms11Factory extends WrappedFactory {
  private static final Set<String> LATER =
      Set.of(
          "createDurableConsumer",
          "getBody",
          "getDeliveryDelay",
          "getJMSDeliveryTime",
          "isBodyAssignableTo",
          "setDeliveryDelay",
          "setJMSDeliveryTime");

  private static final List<Class<? extends Message>> TYPES =
      List.of(
          TextMessage.class,
          BytesMessage.class,
          MapMessage.class,
          StreamMessage.class,
          ObjectMessage.class);

  /** Received messages, which the real client must send. */
  private final Map<Message, Message> received = Collections.synchronizedMap(new WeakHashMap<>());

  private boolean refuses;

  /** Later methods exist and throw an exception, instead of being absent. */
  public void setRefuses(boolean value) {
    refuses = value;
  }

  @Override
  public Connection createConnection() throws JMSException {
    return old(Connection.class, super.createConnection());
  }

  @Override
  protected Session wrapped(Session real) {
    return proxy(
        Session.class,
        (method, arguments) -> {
          requireOld(method);
          Object result = method.invoke(real, arguments);
          if (result instanceof MessageConsumer consumer) {
            return consumer(consumer, this::received);
          }
          return result instanceof MessageProducer producer ? producer(producer) : result;
        });
  }

  private MessageProducer producer(MessageProducer real) {
    return proxy(
        MessageProducer.class,
        (method, arguments) -> {
          requireOld(method);
          for (int i = 0; arguments != null && i < arguments.length; i++) {
            if (arguments[i] instanceof Message message) {
              arguments[i] = received.getOrDefault(message, message);
            }
          }
          return method.invoke(real, arguments);
        });
  }

  private Message received(Message real) {
    Message message =
        old(
            TYPES.stream().filter(each -> each.isInstance(real)).findFirst().orElse(Message.class),
            real);
    received.put(message, real);
    return message;
  }

  private <T> T old(Class<T> type, Object real) {
    return proxy(
        type,
        (method, arguments) -> {
          requireOld(method);
          return method.invoke(real, arguments);
        });
  }

  private void requireOld(Method method) {
    List<Class<?>> parameters = List.of(method.getParameterTypes());
    String name = method.getName();
    boolean isSession = name.equals("createSession") && parameters.size() < 2;
    if (isSession
        || name.startsWith("createShared")
        || LATER.contains(name)
        || parameters.contains(CompletionListener.class)) {
      if (refuses) {
        throw new UnsupportedOperationException(name);
      }
      throw new AbstractMethodError(method.toString());
    }
  }
}
