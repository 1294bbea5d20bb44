package io.sluice.gateway.broker.provider;

import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.TopicPattern;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import org.apache.activemq.ActiveMQConnection;
import org.apache.activemq.ActiveMQSession;
import org.apache.activemq.advisory.AdvisorySupport;
import org.apache.activemq.command.ActiveMQMessage;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.command.ActiveMQTopic;
import org.apache.activemq.command.DestinationInfo;

/**
 * Durable subscriptions of clients at Classic: queues of virtual topics. The broker copies each
 * message of a topic {@code VirtualTopic.…} to all queues {@code Consumer.*.VirtualTopic.…}.
 */
final class ClassicSubscriptions implements ClientSubscriptions {
  private static final String VIRTUAL_TOPICS = "VirtualTopic.";

  /** The broker sends an advisory of each queue before it confirms the consumer. */
  private static final String OPTIONS =
      "?consumer.dispatchAsync=false&consumer.prefetchSize=1000000";

  private static final Comparator<DurableState> ORDER =
      Comparator.comparing((DurableState state) -> state.subscription().principal())
          .thenComparing(state -> state.subscription().topic())
          .thenComparing(state -> state.subscription().name());

  /** Time for which {@link #listed} shows that a queue exists. */
  private static final long LISTED_NS = 10_000_000_000L;

  /** Queues of subscriptions at a time of {@link System#nanoTime}. */
  private record Listed(Set<String> queues, long timeNs) {}

  private final SubscriptionLimits limits;

  /** The latest list. Without it, each of many consumers that reconnect would list all queues. */
  private volatile Listed listed = new Listed(Set.of(), System.nanoTime());

  ClassicSubscriptions(SubscriptionLimits limits) {
    this.limits = limits;
  }

  @Override
  public QueueSession open(
      Connection connection,
      TopicSubscription subscription,
      String where,
      QueueSession.Listener listener,
      Executor executor)
      throws JMSException {
    checkSupported(subscription, where);
    String queue = SubscriptionName.ofVirtual(subscription);
    if (!wasListed(queue)) {
      checkLimit(queues(connection), subscription, queue);
    }
    return ClassicQueueSession.open(connection, queue, null, listener, executor);
  }

  private boolean wasListed(String queue) {
    Listed latest = listed;
    return System.nanoTime() - latest.timeNs < LISTED_NS && latest.queues.contains(queue);
  }

  private static void checkSupported(TopicSubscription subscription, String where)
      throws SubscriptionRefusal {
    boolean supported =
        subscription.durable()
            && where == null
            && subscription.topic().startsWith(VIRTUAL_TOPICS)
            && !TopicPattern.isPattern(subscription.topic());
    if (!supported) {
      throw new SubscriptionRefusal(
          ErrorCode.UNSUPPORTED,
          "this broker supports durable subscriptions of single topics below VirtualTopic, without"
              + " a selector (where); no shared ones");
    }
  }

  private void checkLimit(Set<String> queues, TopicSubscription subscription, String queue)
      throws SubscriptionRefusal {
    if (queues.contains(queue)) {
      return;
    }
    int existing = states(queues, subscription.principal(), Integer.MAX_VALUE).size();
    if (existing >= limits.durables()) {
      throw SubscriptionRefusal.tooMany(limits);
    }
  }

  // Without asynchronous dispatch, all advisories have arrived when the consumer is created. A
  // consumer that acknowledges each would wait for the broker once per queue.
  private Set<String> queues(Connection connection) throws JMSException {
    long startNs = System.nanoTime();
    Set<String> queues = new TreeSet<>();
    ActiveMQSession session =
        (ActiveMQSession) connection.createSession(false, Session.DUPS_OK_ACKNOWLEDGE);
    session.setSessionAsyncDispatch(false);
    try {
      ActiveMQTopic advisories =
          new ActiveMQTopic(AdvisorySupport.QUEUE_ADVISORY_TOPIC.getPhysicalName() + OPTIONS);
      MessageConsumer consumer = session.createConsumer(advisories);
      for (Message next = consumer.receiveNoWait(); next != null; next = consumer.receiveNoWait()) {
        apply(next, queues);
      }
    } finally {
      Provider.closeQuietly(session);
    }
    listed = new Listed(queues, startNs);
    return queues;
  }

  private static void apply(Message advisory, Set<String> queues) {
    if (advisory instanceof ActiveMQMessage message
        && message.getDataStructure() instanceof DestinationInfo info) {
      String name = info.getDestination().getPhysicalName();
      if (SubscriptionName.virtual(name) == null) {
        return;
      }
      if (info.isAddOperation()) {
        queues.add(name);
      } else {
        queues.remove(name);
      }
    }
  }

  private static List<DurableState> states(Set<String> queues, String principal, int max) {
    List<DurableState> states = new ArrayList<>();
    for (String queue : queues) {
      TopicSubscription found = SubscriptionName.virtual(queue);
      if (found != null && (principal == null || principal.equals(found.principal()))) {
        states.add(new DurableState(found, null, DurableState.UNKNOWN, DurableState.UNKNOWN));
      }
    }
    return states.stream().sorted(ORDER).limit(max).toList();
  }

  @Override
  public List<DurableState> list(Connection connection, String principal, int max)
      throws JMSException {
    return states(queues(connection), principal, max);
  }

  @Override
  public void delete(Connection connection, TopicSubscription subscription) throws JMSException {
    checkSupported(subscription, null);
    String queue = SubscriptionName.ofVirtual(subscription);
    if (!queues(connection).contains(queue)) {
      throw SubscriptionRefusal.unknown();
    }
    try {
      ((ActiveMQConnection) connection).destroyDestination(new ActiveMQQueue(queue));
    } catch (JMSException e) {
      throw isInUse(e) ? SubscriptionRefusal.inUse() : e;
    } finally {
      listed = new Listed(Set.of(), System.nanoTime());
    }
  }

  // Neither the client nor the broker has a type for this failure.
  private static boolean isInUse(JMSException failure) {
    String why = String.valueOf(failure.getMessage());
    return why.contains("active subscription") || why.contains("consumer is consuming");
  }
}
