package io.sluice.gateway.broker;

import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.TopicPattern;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageListener;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One consumer at the broker, in a JMS session of its own, and whoever listens to it. Bound to the
 * control thread; messages come on a thread of the JMS client.
 */
public final class BrokerInterest implements Broker.Consumer {
  private static final Logger log = LoggerFactory.getLogger(BrokerInterest.class);

  private final JmsBroker broker;
  private final String pattern;
  private final TopicListener listener;
  private Session session;
  private MessageConsumer consumer;
  private Receiver receiver;
  private boolean stoodBefore;
  private boolean closed;

  BrokerInterest(JmsBroker broker, String pattern, TopicListener listener) {
    this.broker = broker;
    this.pattern = pattern;
    this.listener = listener;
  }

  @Override
  public void close() {
    closed = true;
    broker.remove(this);
    drop();
    log.atDebug().addKeyValue("topic", pattern).log("interest.closed");
  }

  private void closeQuietly(Session open) {
    try {
      open.close();
    } catch (JMSException | RuntimeException e) {
      log.atDebug().addKeyValue("topic", pattern).setCause(e).log("session did not close");
    }
  }

  boolean isClosed() {
    return closed;
  }

  String pattern() {
    return pattern;
  }

  TopicListener listener() {
    return listener;
  }

  /** Creates the consumer; nothing is delivered before the listener has heard that it stands. */
  void open(Connection connection, Provider provider, MessageReader reader, int acknowledge)
      throws JMSException {
    Session opened = connection.createSession(false, acknowledge);
    try {
      Topic topic = provider.topic(opened, provider.wildcards().toProvider(pattern));
      consumer = opened.createConsumer(topic);
      session = opened;
      receiver = new Receiver(provider, reader);
      listener.onStanding(stoodBefore);
      stoodBefore = true;
      consumer.setMessageListener(receiver);
    } catch (JMSException | RuntimeException e) {
      forget();
      closeQuietly(opened);
      throw e;
    }
    log.atDebug().addKeyValue("topic", pattern).log("interest.opened");
  }

  /** The connection is gone: what it still delivers does not count. */
  void forget() {
    if (receiver != null) {
      receiver.retired = true;
    }
    receiver = null;
    consumer = null;
    session = null;
  }

  /**
   * Whether the broker has closed this consumer alone, as when somebody deletes its queue or drops
   * it for being slow. The JMS client tells nobody; a closed consumer answers no call.
   */
  boolean isBroken() {
    try {
      return consumer != null && consumer.getMessageListener() == null;
    } catch (JMSException | RuntimeException e) {
      return true;
    }
  }

  /** Gives a broken consumer up, so that it can be opened again. */
  void drop() {
    Session open = session;
    forget();
    if (open != null) {
      closeQuietly(open);
    }
  }

  /** Takes the messages of one consumer, one at a time. */
  private final class Receiver implements MessageListener {
    private final Provider provider;
    private final MessageReader reader;
    private final GatewayMetrics metrics = broker.metrics();
    private final boolean exact = !TopicPattern.isPattern(pattern);
    private volatile boolean retired;

    Receiver(Provider provider, MessageReader reader) {
      this.provider = provider;
      this.reader = reader;
    }

    @Override
    public void onMessage(jakarta.jms.Message message) {
      if (retired) {
        return;
      }
      try {
        String topic = topic(message);
        if (topic != null) {
          Message read = reader.read(message, topic);
          metrics.messageIn(read.payload().length);
          listener.onMessage(read);
        }
      } catch (MessageReader.Refused e) {
        onMissed(e.reason());
      } catch (JMSException | IOException | RuntimeException | OutOfMemoryError e) {
        log.atWarn().addKeyValue("topic", pattern).setCause(e).log("message.unreadable");
        onMissed(GapReason.UNSUPPORTED);
      }
    }

    private void onMissed(GapReason reason) {
      metrics.dropped(reason.code(), 1);
      listener.onMissed(reason);
    }

    /** The concrete topic, or null if the provider's wildcard matches more than ours. */
    private String topic(jakarta.jms.Message message) throws JMSException {
      if (exact) {
        return pattern;
      }
      String name = provider.topicOf(message);
      String topic = provider.wildcards().fromProvider(name);
      boolean wanted = !broker.isHidden(topic, name) && TopicPattern.covers(pattern, topic);
      return wanted ? topic : null;
    }
  }
}
