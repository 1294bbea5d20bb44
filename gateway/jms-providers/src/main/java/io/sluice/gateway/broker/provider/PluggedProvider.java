package io.sluice.gateway.broker.provider;

import io.sluice.gateway.protocol.Feature;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.ConnectionMetaData;
import jakarta.jms.Destination;
import jakarta.jms.InvalidSelectorException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Hashtable;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.naming.InitialContext;
import org.apache.activemq.ActiveMQConnection;
import org.apache.activemq.ActiveMQPrefetchPolicy;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.apache.activemq.artemis.jms.client.ActiveMQSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Provider for other JMS clients, whose ConnectionFactory is a configured class or a JNDI object.
 * Their jars are loaded from a folder. Threads are those of {@link Provider}.
 */
public final class PluggedProvider implements Provider {
  private static final Logger log = LoggerFactory.getLogger(PluggedProvider.class);

  /** Classic's client has this version if its manifest was not read. */
  private static final int UNKNOWN_VERSION = 0;

  private static final int FIRST_VERSION_OF_CLASSIC = 5;

  /** Longer than a TCP connect to a host that does not answer, after which clients try the next. */
  private static final Duration CONNECT_TIMEOUT = Duration.ofMinutes(3);

  private final ProviderOptions options;
  private final Duration connectTimeout;
  private final Set<Capability> capabilities;

  /** Null before the first connect. */
  private volatile ClassLoader classLoader;

  private ConnectionFactory factory;

  /** The latest connection is Classic's. */
  private volatile boolean classic;

  /** The client does not report whether a message was delayed. */
  private volatile boolean withoutDueTimes;

  /** Creates a provider that is not connected. */
  public PluggedProvider(ProviderOptions options) {
    this(options, CONNECT_TIMEOUT);
  }

  PluggedProvider(ProviderOptions options, Duration connectTimeout) {
    this.options = options;
    this.connectTimeout = connectTimeout;
    try {
      this.capabilities = options.checkedCapabilities();
    } catch (IOException e) {
      throw new IllegalArgumentException("broker.report: " + e.getMessage(), e);
    }
  }

  // A client that reconnects by itself may never return.
  @Override
  public Connection connect(int index, Runnable onLost) throws Exception {
    AtomicBoolean settled = new AtomicBoolean();
    FutureTask<Connection> connecting =
        new FutureTask<>(
            () -> {
              Connection connection = open(index, onLost);
              if (settled.getAndSet(true)) {
                connection.close();
              }
              return connection;
            });
    Thread thread = new Thread(connecting, "sluice-broker-connect");
    thread.setDaemon(true);
    thread.setContextClassLoader(classLoader());
    thread.start();
    try {
      return connecting.get(connectTimeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | InterruptedException e) {
      if (settled.getAndSet(true)) {
        return connecting.get();
      }
      thread.interrupt();
      if (e instanceof InterruptedException) {
        throw e;
      }
      throw new JMSException(
          "the JMS client has not connected within %d s; does it reconnect by itself?"
              .formatted(connectTimeout.toSeconds()));
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  // No lock is held here: the publisher connects on a separate thread, which the JMS client may
  // block.
  private Connection open(int index, Runnable onLost) throws Exception {
    Connection connection =
        index == QUEUES
            ? connectQueues(onLost)
            : options.credentials().connect(factory(onLost), index, onLost);
    try {
      connection.start(); // a client that reconnects by itself connects here
      classic = isClassic(connection.getMetaData());
      return connection;
    } catch (Throwable e) {
      connection.close();
      throw e;
    }
  }

  @Override
  public Runnable inContext(Runnable task) {
    return () -> {
      Thread thread = Thread.currentThread();
      ClassLoader before = thread.getContextClassLoader();
      try {
        thread.setContextClassLoader(classLoader == null ? before : classLoader);
        task.run();
      } finally {
        thread.setContextClassLoader(before);
      }
    };
  }

  // By metadata, which a pool or another wrapper passes on. Artemis has the same name.
  private static boolean isClassic(ConnectionMetaData client) throws JMSException {
    int version = client.getProviderMajorVersion();
    return "ActiveMQ".equals(client.getJMSProviderName())
        && (version == UNKNOWN_VERSION || version >= FIRST_VERSION_OF_CLASSIC);
  }

  // Subscriptions of a connection with a client ID belong to that ID: nodes could not share them.
  // The clients of known brokers prefetch nothing: the consumer would keep it from others.
  private Connection connectQueues(Runnable onLost) throws Exception {
    ConnectionFactory queues = options.isJndi() ? lookUp() : create();
    RabbitFailures.report(queues, onLost);
    if (queues instanceof ActiveMQConnectionFactory artemis) {
      withoutPrefetch(artemis);
    }
    QpidClient.withoutPrefetch(queues);
    Connection connection = options.credentials().withoutClientId().connect(queues, QUEUES, onLost);
    if (connection instanceof ActiveMQConnection opened) {
      ActiveMQPrefetchPolicy none = new ActiveMQPrefetchPolicy();
      none.setQueuePrefetch(0);
      opened.setPrefetchPolicy(none);
    }
    return connection;
  }

  @Override
  public void checkSelector(String selector) throws InvalidSelectorException {
    if (classic) {
      ClassicProvider.checkOperands(selector);
    }
  }

  // Off by default: without a confirmation window, Artemis' client calls the listener before the
  // broker has the message. An unknown client may do the same. Qpid JMS waits for the broker.
  @Override
  public boolean confirmsAsynchronously() {
    String mode = options.publishMode();
    return mode.equals("async") || options.isAmqp() && mode.equals("auto");
  }

  @Override
  public Set<Feature> features() {
    Set<Feature> features = EnumSet.noneOf(Feature.class);
    for (Feature feature : Feature.values()) {
      Capability.of(feature.word())
          .filter(capabilities::contains)
          .ifPresent(any -> features.add(feature));
    }
    return features;
  }

  @Override
  public boolean supports(Capability capability) {
    return capabilities.contains(capability);
  }

  @Override
  public boolean isUnknown() {
    return true;
  }

  @Override
  public boolean isUnreadable(JMSException failure) {
    return RabbitFailures.isUnreadable(failure);
  }

  @Override
  public void checkQueueSelector(String selector) throws JMSException {
    if (selector != null && !supports(Capability.QUEUE_SELECTORS)) {
      throw SubscriptionRefusal.unsupported(
          "selectors (where) of queues", Capability.QUEUE_SELECTORS);
    }
    checkSelector(selector);
  }

  // Some clients have one subscription, or queue, of a name for all client IDs.
  @Override
  public String durableName(String name) {
    String clientId = options.credentials().clientId();
    return JmsSubscriptions.bounded(
        SubscriptionName.DURABLE, SubscriptionName.ofNode(clientId, name));
  }

  // Some clients ignore a subscription that the connection has not opened.
  @Override
  public void unsubscribe(Session session, Topic topic, String name) throws JMSException {
    session.unsubscribe(durableName(name));
    durableConsumer(session, topic, name).close();
    session.unsubscribe(durableName(name));
  }

  // Other clients have no such check: the broker's permissions of the node apply.
  @Override
  public boolean checkExists(Session session, Destination destination) throws JMSException {
    return session instanceof ActiveMQSession
        ? ArtemisReplies.checkExists(session, destination)
        : ClassicProvider.checkTemporary(destination);
  }

  @Override
  public void checkSent(Session session, Destination destination) throws JMSException {
    ArtemisReplies.checkSent(session, destination);
  }

  @Override
  public String identityProperty() {
    return options.identityProperty();
  }

  // A client of JMS 1.1 lacks the method.
  @Override
  public long dueMs(Message message) throws JMSException {
    if (withoutDueTimes) {
      return 0;
    }
    try {
      return Provider.super.dueMs(message);
    } catch (AbstractMethodError | UnsupportedOperationException e) {
      withoutDueTimes = true;
      return 0;
    }
  }

  @Override
  public Wildcards wildcards() {
    return options.wildcards();
  }

  // Client requests are validated earlier. This check also covers all other callers.
  @Override
  public boolean isPlainName(String topic) {
    return Provider.super.isPlainName(topic) && options.topicRules().checkPattern(topic) == null;
  }

  private static void withoutPrefetch(ActiveMQConnectionFactory artemis) {
    try {
      artemis.setConsumerWindowSize(0);
    } catch (IllegalStateException e) {
      log.atDebug().setCause(e).log("the JNDI object was used before, and keeps its window");
    }
  }

  // A name with the broker's separator is that of a received message.
  @Override
  public boolean isInternal(String topic) {
    boolean ofBroker =
        !wildcards().separator().equals(".") && topic.contains(wildcards().separator());
    String name = ofBroker ? wildcards().fromProvider(topic) : topic;
    return Provider.super.isInternal(topic)
        || BrokerNames.isInternal(name, options.internalNames());
  }

  private synchronized ClassLoader classLoader() throws IOException {
    if (classLoader == null) {
      classLoader = ProviderClasses.loader(options.jars());
    }
    return classLoader;
  }

  // A JNDI lookup is repeated for each attempt, because the object may have changed.
  // RabbitMQ's client has a factory for each connection.
  private ConnectionFactory factory(Runnable onLost) throws Exception {
    if (options.isJndi()) {
      ConnectionFactory found = lookUp();
      RabbitFailures.report(found, onLost);
      return found;
    }
    ConnectionFactory used = factory == null ? create() : factory;
    factory = RabbitFailures.report(used, onLost) ? null : used;
    return used;
  }

  private ConnectionFactory create() throws Exception {
    return limited(
        FactoryBean.create(options.connectionFactory(), classLoader()).with(options.properties()));
  }

  private static ConnectionFactory limited(ConnectionFactory created) {
    if (created instanceof ActiveMQConnectionFactory artemis) {
      artemis.getServerLocator().addIncomingInterceptor(new ArtemisPriorities());
    }
    return created;
  }

  private ConnectionFactory lookUp() throws Exception {
    InitialContext context = new InitialContext(new Hashtable<>(options.properties()));
    try {
      String name = options.connectionFactory();
      Object found = context.lookup(name);
      if (found instanceof ConnectionFactory connections
          && !ProviderClasses.isBundled(found.getClass(), options.jars())) {
        return limited(connections);
      }
      throw new IllegalArgumentException(
          "JNDI name %s is %s; expected a %s%s"
              .formatted(
                  name,
                  found.getClass().getName(),
                  ConnectionFactory.class.getName(),
                  options.jars().isEmpty() ? "" : " in a jar of broker.jars"));
    } finally {
      context.close();
    }
  }
}
