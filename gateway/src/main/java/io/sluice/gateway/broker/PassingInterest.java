package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageListener;
import jakarta.jms.Session;
import jakarta.jms.Topic;

/**
 * An interest that gets what is published while its consumer stands. Messages come on a thread of
 * the JMS client.
 */
final class PassingInterest extends BrokerInterest {
  private final TopicListener listener;
  private MessageConsumer consumer;
  private volatile Receiver receiver;
  private volatile boolean stoodBefore;

  PassingInterest(JmsBroker broker, String pattern, int acknowledge, TopicListener listener) {
    super(broker, pattern, acknowledge);
    this.listener = listener;
  }

  @Override
  OpenedConsumer consume(Session opened, Topic topic, Provider provider, ControlThread control)
      throws JMSException {
    return new OpenedConsumer(opened, opened.createConsumer(topic), Provider.UNKNOWN);
  }

  @Override
  void begin(OpenedConsumer opened, MessageReader incoming) throws JMSException {
    consumer = opened.consumer();
    receiver = new Receiver(incoming);
    listener.onStanding(stoodBefore);
    stoodBefore = true;
    consumer.setMessageListener(receiver);
  }

  @Override
  void retire() {
    if (receiver != null) {
      receiver.retire();
    }
    receiver = null;
    consumer = null;
  }

  @Override
  public long readingSequence() {
    Receiver current = receiver;
    if (current == null) {
      return stoodBefore ? Long.MIN_VALUE : Long.MAX_VALUE; // it misses messages
    }
    return current.reading;
  }

  @Override
  boolean isBroken() {
    return consumer != null && isClosed(consumer);
  }

  @Override
  void refuse(ErrorCode code, String why) {
    listener.onRefused(code, why);
  }

  /**
   * Takes the messages of one consumer, one at a time. Its lock is held while the listener is told:
   * what is told after it has retired would come behind the gap of the loss.
   */
  private final class Receiver implements MessageListener {
    private final MessageReader incoming;
    private boolean retired;
    private volatile long reading = Long.MAX_VALUE;

    Receiver(MessageReader incoming) {
      this.incoming = incoming;
    }

    synchronized void retire() {
      retired = true;
    }

    private synchronized boolean isRetired() {
      return retired;
    }

    @Override
    public void onMessage(jakarta.jms.Message message) {
      if (isRetired()) {
        return;
      }
      incoming.onArrival();
      long sequence = incoming.sequence(message);
      reading = sequence; // reading a large message waits for the rest of it
      try {
        Message read = incoming.read(message);
        if (read != null) {
          pass(read, sequence);
        }
      } catch (MessageReader.Refused e) {
        passMissed(e.reason(), sequence);
      } catch (RuntimeException | OutOfMemoryError e) {
        passMissed(incoming.unreadable(e), sequence);
      } finally {
        reading = Long.MAX_VALUE;
      }
    }

    private synchronized void pass(Message message, long sequence) {
      if (!retired) {
        listener.onMessage(message, sequence);
      }
    }

    private synchronized void passMissed(GapReason reason, long sequence) {
      if (!retired) {
        listener.onMissed(reason, sequence);
      }
    }
  }
}
