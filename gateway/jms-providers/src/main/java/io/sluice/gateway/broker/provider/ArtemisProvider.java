package io.sluice.gateway.broker.provider;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.BrokerThreads;
import io.sluice.gateway.broker.DiscardRisk;
import io.sluice.gateway.broker.provider.discard.ArtemisSettings;
import io.sluice.gateway.protocol.Feature;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.net.SocketTimeoutException;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.ActiveMQExceptionType;
import org.apache.activemq.artemis.api.core.ActiveMQNonExistentQueueException;
import org.apache.activemq.artemis.api.core.ActiveMQNotConnectedException;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSession.QueueQuery;
import org.apache.activemq.artemis.api.core.client.ServerLocator;
import org.apache.activemq.artemis.api.jms.ActiveMQJMSConstants;
import org.apache.activemq.artemis.core.client.impl.ClientProducerCreditsImpl;
import org.apache.activemq.artemis.core.client.impl.ClientSessionInternal;
import org.apache.activemq.artemis.jms.client.ActiveMQConnection;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.apache.activemq.artemis.jms.client.ActiveMQDestination;
import org.apache.activemq.artemis.jms.client.ActiveMQMessage;
import org.apache.activemq.artemis.jms.client.ActiveMQSession;
import org.apache.activemq.artemis.jms.client.JMSExceptionHelper;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;
import org.apache.activemq.artemis.utils.actors.OrderedExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Provider for ActiveMQ Artemis, based on its JMS client. Threads are those of {@link Provider}.
 */
public final class ArtemisProvider implements Provider {
  private static final Logger log = LoggerFactory.getLogger(ArtemisProvider.class);
  private static final Wildcards WILDCARDS = new Wildcards("*", "#", ".");

  /** Maximum unconfirmed bytes that a publishing session retains. */
  private static final int CONFIRMATION_WINDOW = 256 * 1024;

  /** Bytes that a session may send to one topic before the broker grants more credit. */
  private static final int PRODUCER_WINDOW = 1024 * 1024;

  /** Credit that suffices to start a send; the client requests so much at a time. */
  private static final long MAX_CREDIT = PRODUCER_WINDOW / 2;

  /** Maximum bytes of an encoded character. */
  private static final int ENCODING = 2;

  /** Maximum bytes of the headers of most messages. */
  private static final int HEADERS = 1024;

  /** Property by which the broker detects duplicates. */
  private static final String DUPLICATE_ID =
      org.apache.activemq.artemis.api.core.Message.HDR_DUPLICATE_DETECTION_ID.toString();

  /** Settings of a new queue, as {@link ArtemisConsumer#keepAllMessages}. */
  private static final String KEEP_ALL_MESSAGES =
      "?ring-size=-1&last-value=false&last-value-key=&non-destructive=false&consumers-before-dispatch=0"
          + "&delay-before-dispatch=-1";

  private static final int CALL_TIMEOUT_MS = 10_000;

  /**
   * Timeout for the listener when a consumer is closed. Messages that arrive later are discarded
   * anyway.
   */
  private static final int LISTENER_TIMEOUT_MS = 1_000;

  /** Default timeout for one broker to accept a connection and send its topology. */
  private static final long CONNECT_TIMEOUT_MS = 2_000;

  /** Option of a connector's URL with another timeout. */
  private static final String CONNECT_TIMEOUT = "connect-timeout-millis";

  /**
   * Consumers share sessions, because the client creates the sessions of a connection in sequence.
   */
  private static final int CONSUMERS_PER_SESSION = 100;

  /** One thread for messages, and one for tasks that a closing thread depends on. */
  private static final int THREADS = 2;

  /** Failures of requests to which the broker has not responded. */
  private static final Set<ActiveMQExceptionType> SESSION_FAILURES =
      EnumSet.of(
          ActiveMQExceptionType.CONNECTION_TIMEDOUT,
          ActiveMQExceptionType.DISCONNECTED,
          ActiveMQExceptionType.GENERIC_EXCEPTION,
          ActiveMQExceptionType.ILLEGAL_STATE,
          ActiveMQExceptionType.INTERCEPTOR_REJECTED_PACKET,
          ActiveMQExceptionType.IO_ERROR,
          ActiveMQExceptionType.NOT_CONNECTED,
          ActiveMQExceptionType.OBJECT_CLOSED,
          ActiveMQExceptionType.REMOTE_DISCONNECT,
          ActiveMQExceptionType.UNBLOCKED);

  private final String url;
  private final Credentials credentials;
  private final boolean asynchronous;
  private final ArtemisBodies bodies;

  private volatile ActiveMQConnectionFactory factory;

  /** Consumers of connections of {@link #factory}. Used by the threads that open consumers. */
  private volatile ArtemisDisconnects disconnects = new ArtemisDisconnects();

  /** The same consumers as receivers of messages. */
  private volatile ArtemisReceivers receivers = new ArtemisReceivers();

  /** Used by the thread that connects the publisher. */
  private volatile ActiveMQConnectionFactory publishingFactory;

  /** Used by the thread that opens the reply queue. */
  private volatile ActiveMQConnectionFactory repliesFactory;

  /** Used by the thread that connects the consumers of queues. */
  private volatile ActiveMQConnectionFactory queuesFactory;

  private final String identityProperty;

  /** Creates a provider that is not connected. */
  public ArtemisProvider(ProviderOptions options) {
    identityProperty = options.identityProperty();
    url = options.url();
    credentials = options.credentials();
    asynchronous = !options.publishMode().equals("batch");
    bodies = new ArtemisBodies(options.maxBodyBytes());
  }

  // A new one for each attempt: an old one retains the cluster topology of a lost broker.
  private ActiveMQConnectionFactory renewed(ActiveMQConnectionFactory old) {
    if (old != null) {
      closeInBackground(old);
    }
    ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(url);
    // The client's own reconnect would restore consumers and hide the gap: ADR 2.
    factory.setReconnectAttempts(0);
    factory.setInitialConnectAttempts(1);
    // A publish is confirmed to its client only when the broker has confirmed it.
    factory.setBlockOnDurableSend(true);
    factory.setBlockOnNonDurableSend(true);
    // By default each task wakes another one of many threads; a few threads stay awake longer.
    factory.setUseGlobalPools(false);
    for (TransportConfiguration broker : factory.getStaticConnectors()) {
      broker.getParams().putIfAbsent(CONNECT_TIMEOUT, String.valueOf(CONNECT_TIMEOUT_MS));
      ArtemisConnectors.observe(broker);
    }
    if (factory.getThreadPoolMaxSize() == ActiveMQClient.DEFAULT_THREAD_POOL_MAX_SIZE) {
      factory.setThreadPoolMaxSize(THREADS);
    }
    // The control thread waits for responses; an unresponsive broker must not block it for long.
    if (factory.getCallTimeout() == ActiveMQClient.DEFAULT_CALL_TIMEOUT) {
      factory.setCallTimeout(CALL_TIMEOUT_MS);
    }
    ServerLocator locator = factory.getServerLocator();
    locator.setFailoverAttempts(0); // to other brokers of a cluster
    if (locator.getOnMessageCloseTimeout() == ActiveMQClient.DEFAULT_ONMESSAGE_CLOSE_TIMEOUT) {
      locator.setOnMessageCloseTimeout(LISTENER_TIMEOUT_MS);
    }
    locator.addIncomingInterceptor(new ArtemisPriorities());
    return factory;
  }

  // Without a confirmation window the client calls a completion listener before the broker has the
  // message. Consuming sessions have none: the broker would buffer as many bytes for each of them.
  private ActiveMQConnectionFactory renewedPublishing() {
    ActiveMQConnectionFactory factory = renewed(publishingFactory);
    if (factory.getConfirmationWindowSize() < 0) {
      factory.setConfirmationWindowSize(CONFIRMATION_WINDOW);
    }
    if (factory.getProducerWindowSize() == ActiveMQClient.DEFAULT_PRODUCER_WINDOW_SIZE) {
      factory.setProducerWindowSize(PRODUCER_WINDOW);
    }
    return factory;
  }

  // Over a half-open connection this blocks until the call timeout.
  private static void closeInBackground(ActiveMQConnectionFactory old) {
    BrokerThreads.SYSTEM.start(old::close, "sluice-broker-close");
  }

  @Override
  public void discard(Connection connection) {
    try {
      RemotingConnection remote =
          ((ActiveMQConnection) connection).getSessionFactory().getConnection();
      if (remote != null) {
        remote.fail(new ActiveMQNotConnectedException("the node has closed the connection"));
      }
    } catch (RuntimeException e) { // the connection has ended
      log.atDebug().setCause(e).log("connection did not fail");
    }
    Provider.super.discard(connection);
  }

  @Override
  public Connection connect(int index, Runnable onLost) throws JMSException {
    if (index == PUBLISHING) {
      publishingFactory = renewedPublishing();
      return connect(publishingFactory, index, onLost);
    }
    if (index == REPLIES) {
      repliesFactory = renewed(repliesFactory);
      repliesFactory.getServerLocator().addIncomingInterceptor(bodies);
      return connect(repliesFactory, index, onLost);
    }
    if (index == QUEUES) {
      queuesFactory = renewed(queuesFactory);
      queuesFactory.getServerLocator().addIncomingInterceptor(bodies);
      return connect(queuesFactory, index, onLost);
    }
    if (index == 0) {
      factory = renewed(factory);
      disconnects = new ArtemisDisconnects();
      receivers = new ArtemisReceivers();
      factory.getServerLocator().addIncomingInterceptor(disconnects);
      factory.getServerLocator().addIncomingInterceptor(receivers);
      factory.getServerLocator().addIncomingInterceptor(bodies);
    }
    CountDownLatch connected = new CountDownLatch(1);
    limitConnect(factory, connected);
    try {
      return connect(factory, index, onLost);
    } finally {
      connected.countDown();
    }
  }

  private Connection connect(ActiveMQConnectionFactory connecting, int index, Runnable onLost)
      throws JMSException {
    try {
      return credentials.connect(connecting, index, onLost);
    } catch (JMSException | RuntimeException e) { // the latter if the locator was closed
      boolean answered =
          e.getCause() instanceof ActiveMQException cause
              && !SESSION_FAILURES.contains(cause.getType());
      if (!answered) {
        ArtemisConnectors.explain(e, connecting.getServerLocator());
      }
      throw e;
    }
  }

  // The client waits for the topology until the call timeout, even if the connection was reset.
  // Closing its locator ends that wait. A broker that has sent its topology has the full timeout.
  private void limitConnect(ActiveMQConnectionFactory connecting, CountDownLatch connected) {
    ServerLocator locator = connecting.getServerLocator();
    long waitMs =
        Stream.of(locator.getStaticTransportConfigurations())
            .mapToLong(
                each -> Long.parseLong(String.valueOf(each.getParams().get(CONNECT_TIMEOUT))))
            .sum();
    BrokerThreads.SYSTEM.start(
        () -> {
          try {
            if (!connected.await(waitMs, TimeUnit.MILLISECONDS)
                && locator.getTopology().isEmpty()) {
              String limit = "no response within %d ms (%s)".formatted(waitMs, CONNECT_TIMEOUT);
              ArtemisConnectors.onFailure(locator, new SocketTimeoutException(limit));
              locator.close();
            }
          } catch (InterruptedException e) {
            // This thread is never interrupted.
          }
        },
        "sluice-broker-connect");
  }

  // Unlike Session.close, this does not hold the connection's lock while it waits for the broker.
  // Creating a session requires that lock.
  @Override
  public void close(MessageConsumer consumer, Session session, Connection connection) {
    close(consumer);
    try {
      ((ActiveMQSession) session).getCoreSession().close();
    } catch (Throwable e) {
      log.atDebug().setCause(e).log("session did not close");
    }
    Provider.closeQuietly(session);
    deleteOrphanedQueues(connection);
  }

  @Override
  public boolean hasOrphanedQueues() {
    return disconnects.hasOrphanedQueues();
  }

  @Override
  public void deleteOrphanedQueues(Connection connection) {
    ArtemisDisconnects current = disconnects;
    List<SimpleString> queues = current.removeOrphanedQueues();
    if (queues.isEmpty()) {
      return;
    }
    Session session;
    try {
      session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    } catch (JMSException | RuntimeException e) {
      queues.forEach(current::addOrphanedQueue);
      log.atDebug().setCause(e).log("queues were not deleted");
      return;
    }
    ClientSession core = ((ActiveMQSession) session).getCoreSession();
    queues.forEach(queue -> deleteOrphanedQueue(core, queue, current));
    Provider.closeQuietly(session);
  }

  // The broker refuses until it has closed the consumer's session.
  private static void deleteOrphanedQueue(
      ClientSession core, SimpleString queue, ArtemisDisconnects current) {
    try {
      core.deleteQueue(queue);
    } catch (ActiveMQNonExistentQueueException e) {
      log.atDebug().setCause(e).log("queue does not exist");
    } catch (ActiveMQException | RuntimeException e) {
      current.addOrphanedQueue(queue);
      log.atDebug().setCause(e).log("queue was not deleted");
    }
  }

  @Override
  public int consumersPerSession() {
    return CONSUMERS_PER_SESSION;
  }

  // The queue of a non-durable consumer is deleted with its connection, so acknowledgements have no
  // use. Sent while another thread opens a consumer, the client would report them as misuse of the
  // session.
  @Override
  public Session session(Connection connection, int acknowledge) throws JMSException {
    boolean unacknowledged = acknowledge == Session.DUPS_OK_ACKNOWLEDGE;
    return connection.createSession(
        false, unacknowledged ? ActiveMQJMSConstants.PRE_ACKNOWLEDGE : acknowledge);
  }

  @Override
  public MessageConsumer consumer(Session session, Topic topic, String selector)
      throws JMSException {
    return ArtemisConsumer.open(
        ((ActiveMQSession) session).getCoreSession(),
        (ActiveMQDestination) topic,
        selector,
        disconnects,
        receivers);
  }

  // Without these settings, those of the address would apply.
  @Override
  public MessageConsumer durableConsumer(Session session, Topic topic, String name)
      throws JMSException {
    ActiveMQDestination complete =
        ActiveMQDestination.createDestination(
            topic.getTopicName() + KEEP_ALL_MESSAGES, ActiveMQDestination.TYPE.TOPIC);
    return session.createDurableSubscriber((Topic) complete, name);
  }

  @Override
  public List<DiscardRisk> discardRisks(
      Connection connection, Collection<String> topics, Collection<String> durable)
      throws Exception {
    Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    try {
      return ArtemisSettings.examine(
          ((ActiveMQSession) session).getCoreSession(),
          topics,
          durable.stream().map(this::durableQueue).toList());
    } finally {
      Provider.closeQuietly(session);
    }
  }

  private SimpleString durableQueue(String name) {
    return ActiveMQDestination.createQueueNameForSubscription(true, credentials.clientId(), name);
  }

  // A broker that has responded refuses only this consumer. An invalid argument was not sent.
  @Override
  public boolean isUsableAfter(Session session, Throwable failure) {
    if (!(session instanceof ActiveMQSession artemis) || artemis.getCoreSession().isClosed()) {
      return Provider.super.isUsableAfter(session, failure);
    }
    boolean answered =
        failure instanceof JMSException
            && failure.getCause() instanceof ActiveMQException cause
            && !SESSION_FAILURES.contains(cause.getType());
    return answered || failure instanceof IllegalArgumentException || Provider.isDenial(failure);
  }

  @Override
  public boolean isClosed(Session session) {
    return session instanceof ActiveMQSession artemis && artemis.getCoreSession().isClosed();
  }

  @Override
  public void onDisconnect(MessageConsumer consumer, Runnable action) {
    if (consumer instanceof ArtemisConsumer shared) {
      shared.onDisconnect(action);
    }
  }

  @Override
  public boolean hasBufferedMessages(MessageConsumer consumer) {
    return consumer instanceof ArtemisConsumer shared && shared.hasBufferedMessages();
  }

  // Session.createTopic falls back to jms.topic.NAME if it finds no NAME, and would silently
  // subscribe to another address. Consumer and producer report a missing address as an error.
  @Override
  public Topic topic(Session session, String name) {
    return (Topic) ActiveMQDestination.createDestination(name, ActiveMQDestination.TYPE.TOPIC);
  }

  @Override
  public Set<Feature> features() {
    return Set.of(
        Feature.DELAY,
        Feature.DURABLE,
        Feature.PUBLISH_ID,
        Feature.SHARED,
        Feature.TRANSACTED_ACKS,
        Feature.TRANSACTIONS);
  }

  @Override
  public void setDuplicateId(Message message, String id) throws JMSException {
    message.setStringProperty(DUPLICATE_ID, id);
  }

  @Override
  public boolean isDuplicate(Throwable failure) {
    return failure.getCause() instanceof ActiveMQException cause
        && cause.getType() == ActiveMQExceptionType.DUPLICATE_ID_REJECTED;
  }

  @Override
  public QueueSession queueSession(
      Connection connection,
      String queue,
      String selector,
      QueueSession.Listener listener,
      Executor executor)
      throws JMSException {
    return ArtemisQueueSession.open(
        connection,
        ArtemisQueueSession.queue(queue),
        selector,
        listener,
        new OrderedExecutor(executor),
        LISTENER_TIMEOUT_MS);
  }

  @Override
  public ClientSubscriptions subscriptions(SubscriptionLimits limits) {
    return new ArtemisSubscriptions(WILDCARDS, limits, LISTENER_TIMEOUT_MS, System::nanoTime);
  }

  @Override
  public jakarta.jms.Queue queue(Session session, String name) {
    return (jakarta.jms.Queue)
        ActiveMQDestination.createDestination(name, ActiveMQDestination.TYPE.QUEUE);
  }

  @Override
  public String deadLetterQueue() {
    return "DLQ";
  }

  @Override
  public boolean checkExists(Session session, Destination destination) throws JMSException {
    return ArtemisReplies.checkExists(session, destination);
  }

  @Override
  public void checkSent(Session session, Destination destination) throws JMSException {
    ArtemisReplies.checkSent(session, destination);
  }

  @Override
  public boolean confirmsAsynchronously() {
    return asynchronous;
  }

  @Override
  public long retainedMessages(Session session, String name) throws JMSException {
    try {
      QueueQuery found =
          ((ActiveMQSession) session).getCoreSession().queueQuery(durableQueue(name));
      return found.isExists() ? found.getMessageCount() : NO_SUBSCRIPTION;
    } catch (ActiveMQException e) {
      throw JMSExceptionHelper.convertFromActiveMQException(e);
    }
  }

  // A subscription is one queue.
  @Override
  public boolean preservesOrderAcrossTopics() {
    return true;
  }

  @Override
  public String identityProperty() {
    return identityProperty;
  }

  @Override
  public Wildcards wildcards() {
    return WILDCARDS;
  }

  // Its client waits for the credit of each address.
  @Override
  public boolean blocksConnections() {
    return false;
  }

  // The client requests credit when the rest is small. The broker does not grant it while the
  // address, its memory or its disk is full.
  @Override
  public boolean isBlocked(Session session, Destination destination, long bytes)
      throws JMSException {
    ClientSessionInternal core = core(session);
    if (!(core.getCredits(address(destination), true)
        instanceof ClientProducerCreditsImpl credit)) {
      return false; // not limited
    }
    long needed = Math.min(MAX_CREDIT, ENCODING * bytes + HEADERS);
    if (credit.getBalance() >= needed) {
      return false;
    }
    if (credit.getArriving() == 0) {
      try {
        credit.acquireCredits(0); // requests more
      } catch (ActiveMQException e) {
        throw JMSExceptionHelper.convertFromActiveMQException(e);
      }
    }
    return credit.getBalance() < needed && credit.getArriving() > 0;
  }

  @Override
  public void await(Session session, Destination destination) throws JMSException {
    try {
      core(session).addressQuery(address(destination));
    } catch (ActiveMQException e) {
      throw JMSExceptionHelper.convertFromActiveMQException(e);
    }
  }

  private static ClientSessionInternal core(Session session) {
    return (ClientSessionInternal) ((ActiveMQSession) session).getCoreSession();
  }

  private static SimpleString address(Destination destination) {
    return ((ActiveMQDestination) destination).getSimpleAddress();
  }

  // A message from a client of another protocol may have no JMS destination, but has an address.
  @Override
  public String topicOf(Message message) throws JMSException {
    return message instanceof ActiveMQMessage artemis
        ? artemis.getCoreMessage().getAddress()
        : Provider.super.topicOf(message);
  }

  @Override
  public long bodyBytes(Message message) {
    return message instanceof ActiveMQMessage artemis
        ? ArtemisBodies.size(artemis.getCoreMessage())
        : -1;
  }

  @Override
  public boolean isBodyUnread(Message message) {
    return message instanceof ActiveMQMessage artemis
        && ArtemisBodies.isUnread(artemis.getCoreMessage());
  }

  // A publisher may disable message ids, and other protocols may lack them. The broker numbers
  // every message.
  @Override
  public long sequence(Message message) {
    return message instanceof ActiveMQMessage artemis
        ? artemis.getCoreMessage().getMessageID()
        : Broker.NO_SEQUENCE;
  }

  // Also without a timestamp of the publisher.
  @Override
  public long dueMs(Message message) throws JMSException {
    return message.getJMSDeliveryTime();
  }

  @Override
  public boolean isSlow(Message message) {
    return message instanceof ActiveMQMessage artemis && artemis.getCoreMessage().isLargeMessage();
  }

  @Override
  public long timeMs(Message message) throws JMSException {
    if (message instanceof ActiveMQMessage artemis) {
      Long ingress = artemis.getCoreMessage().getIngressTimestamp();
      if (ingress != null) {
        return ingress;
      }
    }
    return message.getJMSTimestamp();
  }

  // "address::queue" names a queue, which delivers each message to one consumer. The client splits
  // an
  // address at its first question mark and parses the rest as settings of the queue.
  @Override
  public boolean isPlainName(String topic) {
    return !topic.contains("::") && topic.indexOf('?') < 0;
  }

  @Override
  public boolean isInternal(String topic) {
    return topic.startsWith("activemq.")
        || topic.startsWith("$") // $sys, $.artemis.internal, $ACTIVEMQ_ARTEMIS_FEDERATION
        || SubscriptionName.isReserved(topic);
  }
}
