package io.sluice.gateway.broker.provider;

import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.TopicPattern;
import jakarta.jms.Connection;
import jakarta.jms.IllegalStateException;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.UUID;
import java.util.concurrent.Executor;

/**
 * Subscriptions of clients at a broker of JMS 2: shared consumers. JMS has no list of durable
 * subscriptions, and replaces an unused one whose selector changes.
 */
final class JmsSubscriptions implements ClientSubscriptions {
  /** Longest name of a subscription that every provider supports. */
  private static final int MAX_NAME = 128;

  private final Provider provider;

  JmsSubscriptions(Provider provider) {
    this.provider = provider;
  }

  @Override
  public QueueSession open(
      Connection connection,
      TopicSubscription subscription,
      String where,
      QueueSession.Listener listener,
      Executor executor)
      throws JMSException {
    if (subscription.durable() && where != null) {
      throw new SubscriptionRefusal(
          ErrorCode.UNSUPPORTED,
          "this broker supports durable subscriptions without a selector (where)");
    }
    Capability patterns =
        subscription.durable() ? Capability.DURABLE_PATTERNS : Capability.SHARED_PATTERNS;
    if (TopicPattern.isPattern(subscription.topic()) && !provider.supports(patterns)) {
      throw SubscriptionRefusal.unsupported(
          patterns.word().replace("-", " subscriptions to "), patterns);
    }
    // At some brokers, each connection would receive all messages.
    if (!subscription.durable() && !provider.supports(Capability.SHARED)) {
      throw SubscriptionRefusal.unsupported("shared subscriptions", Capability.SHARED);
    }
    // A shared subscription ends with its last consumer, and an unused one can be deleted.
    return TransactedQueueSession.open(
        connection, session -> consumer(session, subscription, where), true, listener, executor);
  }

  private MessageConsumer consumer(Session session, TopicSubscription subscription, String where)
      throws JMSException {
    Topic topic = session.createTopic(provider.wildcards().toProvider(subscription.topic()));
    String name = name(subscription);
    try {
      return subscription.durable()
          ? session.createSharedDurableConsumer(topic, name)
          : session.createSharedConsumer(topic, name, where);
    } catch (JMSException | JMSRuntimeException e) {
      SubscriptionRefusal permanent =
          Provider.isDenial(e) ? null : permanent(session, subscription, topic, where);
      if (permanent != null) {
        permanent.initCause(e);
        throw permanent;
      }
      throw e;
    } catch (UnsupportedOperationException | AbstractMethodError e) { // a provider of JMS 1.1
      throw new SubscriptionRefusal(
          ErrorCode.UNSUPPORTED, "this broker supports neither durable nor shared subscriptions");
    }
  }

  /**
   * Returns the permanent cause of a failure, or null. JMS has no exceptions for a name that
   * another topic or selector uses, and for a pattern. Then the broker opens a subscription with an
   * unused name, or to an unused topic.
   */
  private static SubscriptionRefusal permanent(
      Session session, TopicSubscription subscription, Topic topic, String where)
      throws JMSException {
    if (isServed(session, topic, where)) {
      return SubscriptionRefusal.exists();
    }
    if (!TopicPattern.isPattern(subscription.topic())) {
      return null;
    }
    String unused = SubscriptionName.SHARED + UUID.randomUUID().toString().replace("-", "");
    return isServed(session, session.createTopic(unused), where)
        ? new SubscriptionRefusal(
            ErrorCode.UNSUPPORTED, "this broker refuses such subscriptions to patterns")
        : null;
  }

  private static boolean isServed(Session session, Topic topic, String where) {
    String unused = SubscriptionName.SHARED + UUID.randomUUID();
    try (MessageConsumer probe = session.createSharedConsumer(topic, unused, where)) {
      return probe != null;
    } catch (JMSException | RuntimeException e) {
      return false;
    }
  }

  static String name(TopicSubscription subscription) {
    String kind = subscription.durable() ? SubscriptionName.DURABLE : SubscriptionName.SHARED;
    return bounded(kind, SubscriptionName.of(subscription));
  }

  /** Returns a name, or a shorter one for it that begins with the kind. */
  static String bounded(String kind, String name) {
    if (name.length() <= MAX_NAME) {
      return name;
    }
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
      return kind + HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) { // every Java platform has it
      throw new AssertionError(e);
    }
  }

  @Override
  public void delete(Connection connection, TopicSubscription subscription) throws JMSException {
    Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    try {
      session.unsubscribe(name(subscription));
      // Some clients ignore a subscription that this connection has not opened.
      consumer(session, subscription, null).close();
      session.unsubscribe(name(subscription));
    } catch (InvalidDestinationException e) {
      throw SubscriptionRefusal.unknown();
    } catch (IllegalStateException e) {
      throw SubscriptionRefusal.inUse();
    } finally {
      Provider.closeQuietly(session);
    }
  }
}
