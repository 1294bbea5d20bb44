package io.sluice.gateway.broker.provider;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.DiscardRisk;
import io.sluice.gateway.broker.provider.classic.ClassicConnection;
import io.sluice.gateway.broker.provider.classic.ClassicConnections;
import io.sluice.gateway.broker.provider.discard.ClassicReports;
import io.sluice.gateway.broker.selector.SafeOperands;
import io.sluice.gateway.protocol.Feature;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.InvalidSelectorException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;
import org.apache.activemq.ActiveMQConnection;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.ActiveMQMessageConsumer;
import org.apache.activemq.ActiveMQMessageProducer;
import org.apache.activemq.ActiveMQSession;
import org.apache.activemq.AsyncCallback;
import org.apache.activemq.DestinationDoesNotExistException;
import org.apache.activemq.ScheduledMessage;
import org.apache.activemq.command.ActiveMQMessage;
import org.apache.activemq.command.ActiveMQTempDestination;
import org.apache.activemq.command.FlushCommand;
import org.apache.activemq.transport.DefaultTransportListener;

/**
 * Provider for ActiveMQ Classic 6, based on its JMS client. Threads are those of {@link Provider}.
 */
public final class ClassicProvider implements Provider {
  private static final Wildcards WILDCARDS = new Wildcards("*", ">", ".");
  private static final int RESPONSE_TIMEOUT_MS = 30_000;

  private final ActiveMQConnectionFactory factory;
  private final Credentials credentials;
  private final boolean asynchronous;
  private final String identityProperty;

  private final ClassicReports reports = new ClassicReports();

  /** Creates a provider that is not connected. */
  public ClassicProvider(ProviderOptions options) {
    identityProperty = options.identityProperty();
    factory = new ClassicConnections(oneAttempt(options.url()));
    credentials = options.credentials();
    asynchronous = !options.publishMode().equals("batch");
    factory.setTrustAllPackages(false);
    factory.setTrustedPackages(List.of()); // no class named by a message is ever loaded
    factory.setWatchTopicAdvisories(false);
    factory.setUseAsyncSend(false);
    factory.setAlwaysSyncSend(true); // a publish is confirmed only when the broker has responded
    if (factory.getSendTimeout() == 0) { // by default it waits for ever
      factory.setSendTimeout(RESPONSE_TIMEOUT_MS);
    }
    if (factory.getConnectResponseTimeout() == 0) {
      factory.setConnectResponseTimeout(RESPONSE_TIMEOUT_MS);
    }
  }

  // A failover: URL tries each of its brokers once and then fails. By default it would block the
  // control thread until one of them is reachable.
  static String oneAttempt(String url) {
    if (!url.startsWith("failover:")) {
      return url;
    }
    List<String> options = new ArrayList<>(JmsClientOptions.FAILOVER);
    options.add("startupMaxReconnectAttempts=1");
    String limited = url;
    for (String option : options) {
      String query = limited.substring(limited.lastIndexOf(')') + 1);
      if (!query.contains(option)) {
        limited += (query.contains("?") ? "&" : "?") + option;
      }
    }
    return limited;
  }

  @Override
  public Connection connect(int index, Runnable onLost) throws JMSException {
    Connection connection = credentials.connect(factory, index, onLost);
    if (index == QUEUES) {
      ClassicConnection queues = (ClassicConnection) connection;
      queues.setSendAcksAsync(false);
      queues.sendOn(() -> credentials.connect(factory, TRANSACTIONS, () -> {}));
    }
    // With a failover: URL the client would reconnect transparently and hide the gap: ADR 2.
    ((ActiveMQConnection) connection)
        .addTransportListener(
            new DefaultTransportListener() {
              @Override
              public void transportInterupted() {
                onLost.run();
              }
            });
    return connection;
  }

  @Override
  public void checkSelector(String selector) throws InvalidSelectorException {
    checkOperands(selector);
  }

  /** Refuses a selector whose evaluation can fail at Classic; null is none. */
  static void checkOperands(String selector) throws InvalidSelectorException {
    String problem = selector == null ? null : SafeOperands.problem(selector);
    if (problem != null) {
      throw new InvalidSelectorException(problem);
    }
  }

  @Override
  public void watch(Connection connection, Runnable onBridge) {
    reports.open(connection, onBridge);
  }

  @Override
  public List<DiscardRisk> reportedRisks() {
    return reports.findings();
  }

  @Override
  public void onDiscard(MessageConsumer consumer, LongConsumer action) {
    if (consumer instanceof ActiveMQMessageConsumer classic) {
      reports.add(classic.getConsumerId().toString(), action);
    }
  }

  @Override
  public void close(MessageConsumer consumer) {
    forget(consumer);
    Provider.super.close(consumer);
  }

  @Override
  public void close(MessageConsumer consumer, Session session, Connection connection) {
    forget(consumer);
    Provider.super.close(consumer, session, connection);
  }

  // The broker does not respond on a blocked connection. The client would wait for its timeout.
  @Override
  public void discard(Connection connection) {
    try {
      ((ActiveMQConnection) connection).getTransport().stop();
    } catch (Exception e) { // the connection has ended
      log.atDebug().setCause(e).log("transport did not stop");
    }
    Provider.super.discard(connection);
  }

  private void forget(MessageConsumer consumer) {
    if (consumer instanceof ActiveMQMessageConsumer classic) {
      reports.remove(classic.getConsumerId().toString());
    }
  }

  @Override
  public QueueSession queueSession(
      Connection connection,
      String queue,
      String selector,
      QueueSession.Listener listener,
      Executor executor)
      throws JMSException {
    return ClassicQueueSession.open(connection, queue, selector, listener, executor);
  }

  @Override
  public ClientSubscriptions subscriptions(SubscriptionLimits limits) {
    return new ClassicSubscriptions(limits);
  }

  @Override
  public boolean checkExists(Session session, Destination destination) throws JMSException {
    return checkTemporary(destination);
  }

  // The broker sends to each element of "ID:1,queue://orders", also if the whole is marked as
  // temporary. Other names reach temporary destinations only.
  static boolean checkTemporary(Destination destination) throws JMSException {
    if (destination instanceof ActiveMQTempDestination named
        && (named.isComposite() || named.isPattern() || named.getOptions() != null)) {
      throw new InvalidDestinationException("no temporary destination " + named.getPhysicalName());
    }
    return false;
  }

  // The broker's exception for a missing destination is none of JMS.
  @Override
  public boolean isMissingQueue(JMSException failure) {
    return Provider.super.isMissingQueue(failure)
        || String.valueOf(failure.getMessage()).contains("does not exist");
  }

  @Override
  public boolean isMissingDestination(Throwable failure) {
    return failure instanceof DestinationDoesNotExistException
        || failure.getCause() instanceof DestinationDoesNotExistException
        || Provider.super.isMissingDestination(failure);
  }

  @Override
  public boolean confirmsAsynchronously() {
    return asynchronous;
  }

  @Override
  public Set<Feature> features() {
    return Set.of(Feature.DURABLE, Feature.TRANSACTED_ACKS, Feature.TRANSACTIONS);
  }

  @Override
  public boolean queriesTopics() {
    return false;
  }

  // The client has proprietary callbacks instead of completion listeners.
  @Override
  public void send(
      MessageProducer producer,
      Destination destination,
      Message message,
      CompletionListener listener)
      throws JMSException {
    ((ActiveMQMessageProducer) producer)
        .send(destination, message, new Callback(message, listener));
  }

  // It handles the commands of a connection in order. A message without space at its destination
  // waits elsewhere.
  @Override
  public void flush(Session session, Runnable onAnswer) throws JMSException {
    ((ActiveMQSession) session)
        .getConnection()
        .syncSendPacket(new FlushCommand(), new Answer(onAnswer));
  }

  private record Answer(Runnable action) implements AsyncCallback {
    @Override
    public void onSuccess() {
      action.run();
    }

    @Override
    public void onException(JMSException failure) {
      log.atDebug().setCause(failure).log("no answer");
    }
  }

  private record Callback(Message message, CompletionListener listener) implements AsyncCallback {
    @Override
    public void onSuccess() {
      listener.onCompletion(message);
    }

    @Override
    public void onException(JMSException failure) {
      listener.onException(message, failure);
    }
  }

  @Override
  public String identityProperty() {
    return identityProperty;
  }

  @Override
  public Wildcards wildcards() {
    return WILDCARDS;
  }

  @Override
  public long sequence(Message message) {
    return message instanceof ActiveMQMessage classic
        ? classic.getMessageId().getBrokerSequenceId()
        : Broker.NO_SEQUENCE;
  }

  @Override
  public boolean selectsConsumersAtSend() {
    return false;
  }

  @Override
  public long dueMs(Message message) throws JMSException {
    return message.propertyExists(ScheduledMessage.AMQ_SCHEDULED_ID) ? UNKNOWN : 0;
  }

  @Override
  public long timeMs(Message message) throws JMSException {
    if (message instanceof ActiveMQMessage classic && classic.getBrokerInTime() > 0) {
      return classic.getBrokerInTime();
    }
    return message.getJMSTimestamp();
  }

  // "a,b" is two topics, and a question mark is followed by options of the consumer.
  @Override
  public boolean isPlainName(String topic) {
    return topic.indexOf(',') < 0 && topic.indexOf('?') < 0 && !topic.startsWith("ID:");
  }

  @Override
  public boolean isInternal(String topic) {
    return topic.startsWith("ActiveMQ.") || SubscriptionName.isReserved(topic);
  }
}
