package io.sluice.gateway.broker;

import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;

/** A real provider whose calls fail as a test wants them to. */
final class BrittleProvider implements Provider {
  /** What happens before a call goes on to the real provider. */
  @FunctionalInterface
  interface Fault {
    Fault NONE = () -> {};

    void strike() throws JMSException;
  }

  private final Provider real;
  private final AtomicInteger connects = new AtomicInteger();
  private final AtomicInteger closes = new AtomicInteger();
  volatile Fault onConnect = Fault.NONE;
  volatile Fault onSession = Fault.NONE;
  volatile Fault onTopic = Fault.NONE;
  volatile Fault onRead = Fault.NONE;

  BrittleProvider(Provider real) {
    this.real = real;
  }

  /** How often the node has tried to connect. */
  int connects() {
    return connects.get();
  }

  @Override
  public Connection connect(int index, Runnable onLost) throws Exception {
    connects.incrementAndGet();
    onConnect.strike();
    return wrapped(real.connect(index, onLost));
  }

  private Connection wrapped(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            BrittleProvider.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getDeclaringClass() == Object.class) {
                return method.invoke(this, arguments);
              }
              if (method.getName().equals("createSession")) {
                onSession.strike();
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Override
  public Topic topic(Session session, String name) throws JMSException {
    if (!name.startsWith("sluice.canary")) {
      onTopic.strike();
    }
    return real.topic(session, name);
  }

  /** How many consumers the node has closed by themselves. */
  int closes() {
    return closes.get();
  }

  @Override
  public void close(OpenedConsumer opened) {
    real.close(opened);
    closes.incrementAndGet();
  }

  @Override
  public boolean confirmsAsynchronously() {
    return real.confirmsAsynchronously();
  }

  @Override
  public boolean asksForTopics() {
    return real.asksForTopics();
  }

  @Override
  public void send(
      MessageProducer producer, Topic topic, Message message, CompletionListener listener)
      throws JMSException {
    real.send(producer, topic, message, listener);
  }

  @Override
  public Wildcards wildcards() {
    return real.wildcards();
  }

  @Override
  public long timeMs(Message message) throws JMSException {
    onRead.strike();
    return real.timeMs(message);
  }
}
