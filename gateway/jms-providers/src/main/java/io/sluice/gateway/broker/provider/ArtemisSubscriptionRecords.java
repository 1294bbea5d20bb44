package io.sluice.gateway.broker.provider;

import java.util.ArrayList;
import java.util.List;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.ActiveMQQueueExistsException;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ClientConsumer;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientProducer;
import org.apache.activemq.artemis.api.core.client.ClientSession;

/**
 * Records of clients' durable subscriptions: the newest message of each subscription in one
 * last-value queue, which all nodes share. One more message has the value of the {@link
 * ServiceClock}. The thread that owns the session; each method waits for the broker.
 */
final class ArtemisSubscriptionRecords {
  private static final SimpleString QUEUE = SimpleString.of(SubscriptionName.RECORDS);
  private static final String NAME = "subscription";
  private static final String OWNER = "owner";
  private static final String WHERE = "where";
  private static final String USED = "used";

  /** Name of the record with the value of the clock. No queue has it. */
  private static final String CLOCK = SubscriptionName.RECORDS + ".clock";

  /**
   * Record of one subscription.
   *
   * @param queue name of its queue
   * @param owner encoded name of the principal
   * @param where JMS selector, or null
   * @param usedMs time of the last known use, by the {@link ServiceClock}
   */
  record Entry(String queue, String owner, String where, long usedMs) {
    Entry usedAt(long timeMs) {
      return new Entry(queue, owner, where, timeMs);
    }
  }

  private final ClientSession session;

  ArtemisSubscriptionRecords(ClientSession session) {
    this.session = session;
  }

  /** Stores a record in place of an earlier one of the subscription. */
  void put(Entry entry) throws ActiveMQException {
    createQueue();
    ClientMessage message = session.createMessage(true);
    message.setRoutingType(RoutingType.ANYCAST); // no pattern of a topic matches it
    message.putStringProperty(NAME, entry.queue);
    message.putStringProperty(OWNER, entry.owner);
    message.putLongProperty(USED, entry.usedMs);
    if (entry.where != null) {
      message.putStringProperty(WHERE, entry.where);
    }
    try (ClientProducer producer = session.createProducer(QUEUE)) {
      producer.send(message);
    }
  }

  private void createQueue() throws ActiveMQException {
    if (session.queueQuery(QUEUE).isExists()) {
      return;
    }
    try {
      session.createQueue(
          QueueConfiguration.of(QUEUE)
              .setRoutingType(RoutingType.ANYCAST)
              .setLastValue(true)
              .setLastValueKey(NAME)
              .setAutoDelete(false)
              .setPurgeOnNoConsumers(false));
    } catch (ActiveMQQueueExistsException e) {
      // Another node has created it.
    }
  }

  /**
   * Returns records.
   *
   * @param owner encoded name of a principal; null for all
   */
  List<Entry> read(String owner) throws ActiveMQException {
    List<Entry> entries = readSelected(owner == null ? null : OWNER + " = '" + owner + "'");
    entries.removeIf(entry -> entry.queue.equals(CLOCK));
    return entries;
  }

  /** Returns the stored value of the clock; without one, the latest value in a record. */
  long clockMs() throws ActiveMQException {
    List<Entry> clock = readSelected(NAME + " = '" + CLOCK + "'");
    List<Entry> known = clock.isEmpty() ? readSelected(null) : clock;
    return known.stream().mapToLong(Entry::usedMs).max().orElse(0);
  }

  /** Stores the value of the clock. */
  void putClock(long valueMs) throws ActiveMQException {
    put(new Entry(CLOCK, "", null, valueMs));
  }

  /** Returns whether a record was neither renewed nor removed since it was read. */
  boolean isNewest(Entry entry) throws ActiveMQException {
    return List.of(entry).equals(readSelected(NAME + " = '" + entry.queue + "'"));
  }

  private List<Entry> readSelected(String selector) throws ActiveMQException {
    List<Entry> entries = new ArrayList<>();
    if (session.queueQuery(QUEUE).isExists()) {
      try (ClientConsumer browser = session.createConsumer(QUEUE, filter(selector), true)) {
        ClientMessage next = browser.receiveImmediate();
        while (next != null) {
          entries.add(entry(next));
          next = browser.receiveImmediate();
        }
      }
    }
    return entries;
  }

  private static SimpleString filter(String text) {
    return SimpleString.of(text);
  }

  private static Entry entry(ClientMessage message) {
    return new Entry(
        String.valueOf(message.getStringProperty(NAME)),
        message.getStringProperty(OWNER),
        message.getStringProperty(WHERE),
        message.containsProperty(USED) ? message.getLongProperty(USED) : 0);
  }

  /** Removes the record of a subscription, if there is one. */
  void remove(String queue) throws ActiveMQException {
    removeSelected(NAME + " = '" + queue + "'");
  }

  /** Removes a record, unless it was renewed. */
  void remove(Entry entry) throws ActiveMQException {
    removeSelected(NAME + " = '" + entry.queue + "' AND " + USED + " = " + entry.usedMs);
  }

  private void removeSelected(String selector) throws ActiveMQException {
    if (!session.queueQuery(QUEUE).isExists()) {
      return;
    }
    try (ClientConsumer consumer = session.createConsumer(QUEUE, filter(selector), false)) {
      ClientMessage message = consumer.receiveImmediate();
      if (message != null) {
        message.individualAcknowledge();
      }
    }
  }
}
