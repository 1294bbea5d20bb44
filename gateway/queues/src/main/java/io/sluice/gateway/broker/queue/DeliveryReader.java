package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.jms.ContentReader;
import io.sluice.gateway.broker.jms.ContentReader.Undeliverable;
import io.sluice.gateway.broker.provider.BrokerNames;
import io.sluice.gateway.broker.provider.HeaderText;
import io.sluice.gateway.broker.provider.QueueSession;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import io.sluice.gateway.protocol.queue.QueueDelivery.Redelivery;
import jakarta.jms.JMSException;
import jakarta.jms.Queue;
import jakarta.jms.Topic;

/** Converts JMS messages of queues and subscriptions to deliveries. Stateless; any thread. */
final class DeliveryReader {
  private static final String GROUP = "JMSXGroupID";

  /** Maximum bytes of the members of a binary delivery besides its payload. */
  private static final int MAX_MEMBERS = 0xffff;

  /** Bytes of a character that JSON escapes. */
  private static final int MAX_CHARACTER = 6;

  /** Names and punctuation of the members. */
  private static final int MEMBER_NAMES = 200;

  /**
   * Message that the broker has sent to a consumer.
   *
   * @param undecodable failure of the provider's client, or null
   */
  record Arrived(jakarta.jms.Message message, Throwable undecodable) {}

  /** Reader of the topic of a message, in the provider's syntax. */
  interface TopicReader {
    String topicOf(jakarta.jms.Message message) throws JMSException;
  }

  private final ContentReader content;
  private final BrokerNames names;

  /** Pattern of a subscription, whose deliveries carry their topic; otherwise null. */
  private final String pattern;

  /** Null without a pattern. */
  private final TopicReader topics;

  DeliveryReader(ContentReader content, BrokerNames names) {
    this(content, names, null, null);
  }

  private DeliveryReader(
      ContentReader content, BrokerNames names, String pattern, TopicReader topics) {
    this.content = content;
    this.names = names;
    this.pattern = pattern;
    this.topics = topics;
  }

  /** Returns a reader for a subscription to a pattern. */
  DeliveryReader ofPattern(String subscribed, TopicReader reader) {
    return new DeliveryReader(content, names, subscribed, reader);
  }

  /**
   * Returns whether the subscription's pattern matches the topic of a message. A wildcard of the
   * provider may match more topics than Sluice's.
   */
  boolean isCovered(jakarta.jms.Message message) {
    if (pattern == null) {
      return true;
    }
    try {
      return TopicPattern.covers(pattern, names.shown(topics.topicOf(message)));
    } catch (JMSException | RuntimeException e) {
      return true; // the message is unreadable, which its delivery reports
    }
  }

  /** Reads a message that has arrived at a consumer. */
  QueueDelivery read(Arrived arrived, QueueSession session, long tag, QueueLink link)
      throws Undeliverable {
    if (arrived.undecodable() != null) {
      throw new Undeliverable("unsupported");
    }
    if (session.isExhausted(arrived.message())) {
      throw new Undeliverable("attempts");
    }
    try {
      return read(arrived.message(), tag, session.isRedelivered(arrived.message()), link);
    } catch (JMSException | RuntimeException e) {
      throw new Undeliverable("unsupported");
    }
  }

  /**
   * Reads a message.
   *
   * @param redelivered whether the broker has counted an earlier delivery
   */
  QueueDelivery read(jakarta.jms.Message message, long tag, boolean redelivered, QueueLink link)
      throws Undeliverable {
    Message read = content.read(message);
    try {
      QueueDelivery delivery =
          new QueueDelivery(
              tag,
              redelivery(redelivered, read.timeMs(), link),
              read.identity(),
              read.timeMs(),
              read.kind(),
              read.payload(),
              read.properties(),
              HeaderText.of(message::getJMSType),
              HeaderText.of(message::getJMSCorrelationID),
              destination(message.getJMSReplyTo()),
              HeaderText.of(() -> message.getStringProperty(GROUP)),
              topics == null ? null : topic(message));
      if (memberBytes(delivery) > MAX_MEMBERS) {
        throw new Undeliverable("too-large");
      }
      return delivery;
    } catch (JMSException | RuntimeException e) {
      throw new Undeliverable("unsupported");
    }
  }

  private static Redelivery redelivery(boolean counted, long timeMs, QueueLink link) {
    if (counted) {
      return Redelivery.COUNTED;
    }
    return link.isSuspect(timeMs) ? Redelivery.UNKNOWN : Redelivery.NONE;
  }

  private String topic(jakarta.jms.Message message) throws JMSException, Undeliverable {
    String topic = names.fromBroker(topics.topicOf(message));
    if (topic == null) {
      throw new Undeliverable("invalid-topic");
    }
    return topic;
  }

  private Destination destination(jakarta.jms.Destination replyTo) throws JMSException {
    if (replyTo instanceof Queue queue) {
      return Destination.queue(names.shown(queue.getQueueName()));
    }
    if (replyTo instanceof Topic topic) {
      return Destination.topic(names.shown(topic.getTopicName()));
    }
    return null;
  }

  private static long memberBytes(QueueDelivery delivery) {
    long characters =
        length(delivery.messageType())
            + length(delivery.correlationId())
            + length(delivery.group())
            + length(delivery.topic())
            + (delivery.replyTo() == null ? 0 : length(delivery.replyTo().name()));
    int properties = delivery.properties() == null ? 0 : delivery.properties().length;
    return properties + MAX_CHARACTER * characters + MEMBER_NAMES;
  }

  private static long length(String text) {
    return text == null ? 0 : text.length();
  }
}
