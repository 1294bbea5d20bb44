package io.sluice.gateway.broker.provider;

import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.broker.provider.ArtemisSubscriptionRecords.Entry;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.protocol.ErrorCode;
import jakarta.jms.Connection;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.ActiveMQExceptionType;
import org.apache.activemq.artemis.api.core.ActiveMQNonExistentQueueException;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSession.AddressQuery;
import org.apache.activemq.artemis.api.core.client.ClientSession.QueueQuery;
import org.apache.activemq.artemis.jms.client.ActiveMQDestination;
import org.apache.activemq.artemis.jms.client.ActiveMQSession;
import org.apache.activemq.artemis.jms.client.JMSExceptionHelper;
import org.apache.activemq.artemis.utils.AutoCreateUtil;
import org.apache.activemq.artemis.utils.SelectorTranslator;
import org.apache.activemq.artemis.utils.actors.OrderedExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Subscriptions of clients at Artemis: queues of their topics' addresses, consumed like queues.
 *
 * <p>The broker's own deletion of unused queues is not used: a restart deletes each empty queue,
 * and later each one whose messages expire. {@link ArtemisSubscriptionRecords} has the time of the
 * last use instead, which the nodes check. {@link ServiceClock} counts that time, without outages.
 */
final class ArtemisSubscriptions implements ClientSubscriptions {
  private static final Logger log = LoggerFactory.getLogger(ArtemisSubscriptions.class);

  /**
   * Number of intervals for which an unused subscription is retained beyond its expiry. A record
   * may be two older than the last use, and an outage may count as another one.
   */
  private static final int GRACE_INTERVALS = 4;

  /** Maximum number of attempts while other nodes delete the queue. */
  private static final int ATTEMPTS = 3;

  private static final Comparator<TopicSubscription> ORDER =
      Comparator.comparing(TopicSubscription::principal)
          .thenComparing(TopicSubscription::topic)
          .thenComparing(TopicSubscription::name);

  private final Wildcards wildcards;
  private final SubscriptionLimits limits;
  private final int closeTimeoutMs;
  private final LongSupplier nowNs;
  private final ServiceClock clock;

  /** The latest reading of the clock, so that not each consumer reads all records. */
  private volatile Reading reading;

  /**
   * Value of the clock at the broker.
   *
   * @param connection connection by which it was read; another one may be to another broker
   * @param timeNs monotonic time of the reading
   */
  private record Reading(Connection connection, long valueMs, long timeNs) {}

  /**
   * Creates an adapter that has checked nothing.
   *
   * @param closeTimeoutMs time limit for a call of the listener when a consumer is closed
   * @param nowNs monotonic clock
   */
  ArtemisSubscriptions(
      Wildcards wildcards, SubscriptionLimits limits, int closeTimeoutMs, LongSupplier nowNs) {
    this.wildcards = wildcards;
    this.limits = limits;
    this.closeTimeoutMs = closeTimeoutMs;
    this.nowNs = nowNs;
    this.clock = new ServiceClock(limits.checkIntervalMs());
  }

  /** Request on a session that commits each step. */
  private interface Request<T> {
    T run(ClientSession session) throws ActiveMQException, JMSException;
  }

  private static <T> T request(Connection connection, Request<T> request) throws JMSException {
    Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    try {
      return request.run(((ActiveMQSession) session).getCoreSession());
    } catch (ActiveMQException e) {
      throw JMSExceptionHelper.convertFromActiveMQException(e);
    } finally {
      Provider.closeQuietly(session);
    }
  }

  @Override
  public QueueSession open(
      Connection connection,
      TopicSubscription subscription,
      String where,
      QueueSession.Listener listener,
      Executor executor)
      throws JMSException {
    SimpleString queue = queue(subscription);
    for (int attempt = 1; ; attempt++) {
      request(
          connection,
          session ->
              create(
                  session,
                  queue,
                  subscription,
                  where,
                  records -> recentClockMs(connection, records)));
      try {
        return open(connection, queue, listener, executor);
      } catch (InvalidDestinationException e) { // deleted since
        if (attempt == ATTEMPTS) {
          throw e;
        }
      } catch (JMSException e) {
        if (!subscription.durable()) {
          deleteUnused(connection, queue);
        }
        throw e;
      }
    }
  }

  private QueueSession open(
      Connection connection, SimpleString queue, QueueSession.Listener listener, Executor executor)
      throws JMSException {
    return ArtemisQueueSession.open(
        connection,
        session -> queue,
        null,
        listener,
        new OrderedExecutor(executor),
        closeTimeoutMs);
  }

  // The broker deletes a shared subscription with its last consumer, but not one that has never had
  // any.
  private static void deleteUnused(Connection connection, SimpleString queue) {
    try {
      request(connection, session -> deleteQueue(session, queue));
    } catch (JMSException e) {
      log.atDebug().setCause(e).log("shared subscription was not deleted");
    }
  }

  private static SimpleString queue(TopicSubscription subscription) {
    return SimpleString.of(SubscriptionName.of(subscription));
  }

  /** Source of the clock's value. */
  interface ClockReader {
    /** Returns the value; waits for the broker. */
    long clockMs(ArtemisSubscriptionRecords records) throws ActiveMQException;
  }

  // The broker compares each record to find that of the clock.
  private long recentClockMs(Connection connection, ArtemisSubscriptionRecords records)
      throws ActiveMQException {
    long timeNs = nowNs.getAsLong();
    Reading recent = reading;
    if (recent != null
        && recent.connection == connection
        && timeNs - recent.timeNs < limits.checkIntervalMs() * 1_000_000 / 2) {
      return recent.valueMs;
    }
    long valueMs = records.clockMs();
    reading = new Reading(connection, valueMs, timeNs);
    return valueMs;
  }

  /** Creates the queue of a subscription, unless it exists. */
  Void create(
      ClientSession session,
      SimpleString queue,
      TopicSubscription subscription,
      String where,
      ClockReader clockReader)
      throws ActiveMQException, JMSException {
    String filter = SelectorTranslator.convertToActiveMQFilterString(where);
    QueueQuery found = session.queueQuery(queue);
    if (found.isExists()
        && !Objects.equals(text(found.getFilterString()), filter)
        && !(isUnused(found) && deleteQueue(session, queue))) {
      throw SubscriptionRefusal.exists();
    }
    if (subscription.durable()) {
      if (!found.isExists()) {
        checkLimit(session, subscription);
      }
      String owner = SubscriptionName.encoded(subscription.principal());
      ArtemisSubscriptionRecords records = new ArtemisSubscriptionRecords(session);
      records.put(new Entry(queue.toString(), owner, where, clockReader.clockMs(records)));
    }
    createQueue(session, queue, subscription, filter);
    return null;
  }

  // A node that ended before it opened a consumer has left this shared subscription.
  private static boolean isUnused(QueueQuery queue) {
    return !queue.isDurable() && queue.getConsumerCount() == 0;
  }

  // Nodes that create subscriptions at the same time may exceed the limit. Records without a queue
  // do not count, but are looked up only if their number matters.
  private void checkLimit(ClientSession session, TopicSubscription subscription)
      throws ActiveMQException, JMSException {
    String name = SubscriptionName.of(subscription);
    List<Entry> others = entries(session, subscription.principal());
    others.removeIf(entry -> entry.queue().equals(name));
    int unused = 0;
    for (Entry each : others) {
      if (others.size() - unused < limits.durables()) {
        return;
      }
      if (!session.queueQuery(queueOf(each)).isExists()) {
        unused++;
      }
    }
    if (others.size() - unused >= limits.durables()) {
      throw SubscriptionRefusal.tooMany(limits);
    }
  }

  // Compares address and selector with those of a queue that another node creates concurrently.
  // The broker deletes a shared one with its last consumer, but not one that has never had any.
  // Such a queue must not store messages: its node may have ended.
  private void createQueue(
      ClientSession session, SimpleString queue, TopicSubscription subscription, String filter)
      throws ActiveMQException, JMSException {
    ActiveMQDestination topic =
        ActiveMQDestination.createDestination(
            wildcards.toProvider(subscription.topic()), ActiveMQDestination.TYPE.TOPIC);
    AddressQuery address = ArtemisConsumer.query(session, topic);
    QueueConfiguration settings = QueueConfiguration.of(queue);
    AutoCreateUtil.setRequiredQueueConfigurationIfNotSet(
        settings, address, RoutingType.MULTICAST, null, subscription.durable());
    ArtemisConsumer.keepAllMessages(settings);
    settings
        .setAddress(topic.getAddress())
        .setFilterString(filter)
        .setPurgeOnNoConsumers(!subscription.durable())
        .setAutoDelete(false)
        .setAutoCreated(false);
    try {
      session.createSharedQueue(settings);
    } catch (ActiveMQException e) {
      if (e.getType() == ActiveMQExceptionType.INVALID_TRANSIENT_QUEUE_USE) {
        throw SubscriptionRefusal.exists();
      }
      throw e;
    }
  }

  private static SimpleString queueOf(Entry entry) {
    return SimpleString.of(entry.queue());
  }

  private static String text(SimpleString text) {
    return text == null ? null : text.toString();
  }

  private static List<Entry> entries(ClientSession session, String principal)
      throws ActiveMQException {
    String owner = principal == null ? null : SubscriptionName.encoded(principal);
    return new ArtemisSubscriptionRecords(session).read(owner);
  }

  @Override
  public List<DurableState> list(Connection connection, String principal, int max)
      throws JMSException {
    try {
      return request(connection, session -> list(session, principal, max));
    } catch (JMSSecurityException e) {
      throw new SubscriptionRefusal(
          ErrorCode.UNSUPPORTED,
          "the broker denies the node access to " + SubscriptionName.RECORDS);
    }
  }

  private static List<DurableState> list(ClientSession session, String principal, int max)
      throws ActiveMQException {
    List<Entry> entries = new ArrayList<>(entries(session, principal));
    entries.removeIf(entry -> SubscriptionName.durable(entry.queue()) == null);
    entries.sort(Comparator.comparing(entry -> SubscriptionName.durable(entry.queue()), ORDER));
    List<DurableState> states = new ArrayList<>();
    for (Entry entry : entries) {
      if (states.size() >= max) {
        break;
      }
      QueueQuery queue = session.queueQuery(queueOf(entry));
      if (queue.isExists()) {
        states.add(state(entry, queue));
      }
    }
    return states;
  }

  private static DurableState state(Entry entry, QueueQuery queue) {
    String filter = text(queue.getFilterString());
    boolean same =
        Objects.equals(SelectorTranslator.convertToActiveMQFilterString(entry.where()), filter);
    return new DurableState(
        SubscriptionName.durable(entry.queue()),
        same ? entry.where() : filter,
        queue.getMessageCount(),
        queue.getConsumerCount());
  }

  @Override
  public void delete(Connection connection, TopicSubscription subscription) throws JMSException {
    request(connection, session -> delete(session, subscription));
  }

  private static Void delete(ClientSession session, TopicSubscription subscription)
      throws ActiveMQException, JMSException {
    SimpleString queue = queue(subscription);
    if (!session.queueQuery(queue).isExists()) {
      throw SubscriptionRefusal.unknown();
    }
    if (!deleteQueue(session, queue)) {
      throw SubscriptionRefusal.inUse();
    }
    new ArtemisSubscriptionRecords(session).remove(queue.toString());
    return null;
  }

  /** Deletes a queue; returns false if it has a consumer. */
  private static boolean deleteQueue(ClientSession session, SimpleString queue)
      throws ActiveMQException {
    try {
      session.deleteQueue(queue);
      return true;
    } catch (ActiveMQNonExistentQueueException e) { // deleted by another node
      return true;
    } catch (ActiveMQException e) {
      if (e.getType() == ActiveMQExceptionType.ILLEGAL_STATE) {
        return false;
      }
      if (isOnlyAddressKept(session, queue, e)) {
        return true;
      }
      throw e;
    }
  }

  // The broker deletes an unused address with its last queue, if the node has that permission.
  private static boolean isOnlyAddressKept(
      ClientSession session, SimpleString queue, ActiveMQException failure)
      throws ActiveMQException {
    return failure.getType() == ActiveMQExceptionType.SECURITY_EXCEPTION
        && !session.queueQuery(queue).isExists();
  }

  @Override
  public void expire(Connection connection) throws JMSException {
    request(connection, this::expire);
  }

  // A check that fails does not advance the clock: it may not have renewed all records.
  private Void expire(ClientSession session) throws ActiveMQException {
    List<Entry> entries = entries(session, null);
    if (!entries.isEmpty()) {
      ArtemisSubscriptionRecords records = new ArtemisSubscriptionRecords(session);
      long checkNs = nowNs.getAsLong();
      long valueMs = clock.valueMs(records.clockMs(), checkNs);
      for (Entry entry : entries) {
        expireOrLog(session, entry, valueMs);
      }
      records.putClock(valueMs);
      clock.onChecked(valueMs, checkNs);
    }
    return null;
  }

  // One subscription that the node may not delete must not prevent the renewal of others.
  private void expireOrLog(ClientSession session, Entry entry, long valueMs)
      throws ActiveMQException {
    try {
      expire(session, entry, valueMs);
    } catch (ActiveMQException e) {
      if (session.isClosed() || e.getType() != ActiveMQExceptionType.SECURITY_EXCEPTION) {
        throw e;
      }
      log.atWarn()
          .addKeyValue("subscription", entry.queue())
          .addKeyValue("cause", ServiceUrl.masked(String.valueOf(e)))
          .log("queue.subscription-kept");
    }
  }

  // Each check renews the records of subscriptions in use. A check of many subscriptions takes a
  // while: a client may have used one since its record was read.
  void expire(ClientSession session, Entry entry, long valueMs) throws ActiveMQException {
    long ageMs = valueMs - entry.usedMs();
    QueueQuery queue = session.queueQuery(queueOf(entry));
    ArtemisSubscriptionRecords records = new ArtemisSubscriptionRecords(session);
    if (queue.isExists() && queue.getConsumerCount() > 0) {
      if (ageMs >= limits.checkIntervalMs() / 2) {
        records.put(entry.usedAt(valueMs));
      }
    } else if (ageMs > limits.expiryMs() + GRACE_INTERVALS * limits.checkIntervalMs()
        && records.isNewest(entry)
        && (!queue.isExists() || deleteQueue(session, queueOf(entry)))) {
      records.remove(entry);
      log.atInfo().addKeyValue("subscription", entry.queue()).log("queue.subscription-expired");
    }
  }
}
