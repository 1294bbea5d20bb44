package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.provider.Capability;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.provider.Wildcards;
import io.sluice.gateway.config.BrokerSettings;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Real provider whose calls fail when a test requests it. */
final class BrittleProvider implements Provider {
  /** Action that runs before a call of the real provider. */
  @FunctionalInterface
  interface Fault {
    Fault NONE = () -> {};

    void strike() throws JMSException;
  }

  private final Provider real;
  private final AtomicInteger connects = new AtomicInteger();
  private final AtomicInteger closes = new AtomicInteger();
  private final List<Session> sessions = new CopyOnWriteArrayList<>();
  volatile Fault onConnect = Fault.NONE;
  volatile Fault onSession = Fault.NONE;
  volatile Fault onTopic = Fault.NONE;
  volatile Fault onCanaryTopic = Fault.NONE;

  /** Runs before a message is read, except canaries: they arrive at any time. */
  volatile Fault onRead = Fault.NONE;

  volatile Fault onKept = Fault.NONE;
  volatile Fault onClose = Fault.NONE;

  /** Runs after the destination of a reply was checked, before the reply is sent. */
  volatile Fault onChecked = Fault.NONE;

  /** Runs before a session is closed. Must be set before sessions are opened. */
  volatile Fault onSessionClose = Fault.NONE;

  BrittleProvider(Provider real) {
    this.real = real;
  }

  @Override
  public boolean supports(Capability capability) {
    return real.supports(capability);
  }

  @Override
  public boolean isUnknown() {
    return real.isUnknown();
  }

  @Override
  public void checkQueueSelector(String selector) throws JMSException {
    real.checkQueueSelector(selector);
  }

  /** Returns the number of attempts to connect. */
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
                Object result = method.invoke(connection, arguments);
                return result instanceof Session session && onSessionClose != Fault.NONE
                    ? wrapped(session)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private Session wrapped(Session session) {
    return (Session)
        Proxy.newProxyInstance(
            BrittleProvider.class.getClassLoader(),
            new Class<?>[] {Session.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                onSessionClose.strike();
              }
              try {
                return method.invoke(session, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Override
  public Topic topic(Session session, String name) throws JMSException {
    (name.startsWith("sluice.canary") ? onCanaryTopic : onTopic).strike();
    return real.topic(session, name);
  }

  /** Returns the number of consumers that the node has closed. */
  int closes() {
    return closes.get();
  }

  @Override
  public void close(MessageConsumer consumer) {
    close(() -> real.close(consumer));
  }

  @Override
  public void close(MessageConsumer consumer, Session session, Connection connection) {
    close(() -> real.close(consumer, session, connection));
  }

  private void close(Runnable closing) {
    try {
      onClose.strike();
    } catch (JMSException e) {
      throw new AssertionError(e);
    }
    closing.run();
    closes.incrementAndGet();
  }

  @Override
  public int consumersPerSession() {
    return real.consumersPerSession();
  }

  @Override
  public Session session(Connection connection, int acknowledge) throws JMSException {
    Session session = real.session(connection, acknowledge);
    sessions.add(session);
    return session;
  }

  /** Returns all sessions that were opened for consumers. */
  List<Session> sessions() {
    return sessions;
  }

  @Override
  public long retainedMessages(Session session, String name) throws JMSException {
    onKept.strike();
    return real.retainedMessages(session, name);
  }

  @Override
  public MessageConsumer consumer(Session session, Topic topic, String selector)
      throws JMSException {
    return real.consumer(session, topic, selector);
  }

  @Override
  public boolean isUsableAfter(Session session, Throwable failure) {
    return real.isUsableAfter(session, failure);
  }

  @Override
  public void onDisconnect(MessageConsumer consumer, Runnable action) {
    real.onDisconnect(consumer, action);
  }

  @Override
  public boolean hasBufferedMessages(MessageConsumer consumer) {
    return real.hasBufferedMessages(consumer);
  }

  @Override
  public boolean confirmsAsynchronously() {
    return real.confirmsAsynchronously();
  }

  @Override
  public boolean queriesTopics() {
    return real.queriesTopics();
  }

  @Override
  public void send(
      MessageProducer producer,
      Destination destination,
      Message message,
      CompletionListener listener)
      throws JMSException {
    real.send(producer, destination, message, listener);
  }

  @Override
  public boolean checkExists(Session session, Destination destination) throws JMSException {
    boolean temporary = real.checkExists(session, destination);
    onChecked.strike();
    return temporary;
  }

  @Override
  public void checkSent(Session session, Destination destination) throws JMSException {
    real.checkSent(session, destination);
  }

  @Override
  public boolean isMissingDestination(Throwable failure) {
    return real.isMissingDestination(failure);
  }

  @Override
  public Wildcards wildcards() {
    return real.wildcards();
  }

  @Override
  public long timeMs(Message message) throws JMSException {
    if (!isCanary(message)) {
      onRead.strike();
    }
    return real.timeMs(message);
  }

  private static boolean isCanary(Message message) throws JMSException {
    String prefix = BrokerSettings.CANARY_PREFIX.defaultValue();
    return message.getJMSDestination().toString().contains(prefix);
  }
}
