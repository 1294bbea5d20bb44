package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.ErrorCode;
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
  private Receiver receiver;
  private boolean stoodBefore;

  PassingInterest(JmsBroker broker, String pattern, int acknowledge, TopicListener listener) {
    super(broker, pattern, acknowledge);
    this.listener = listener;
  }

  @Override
  MessageConsumer consume(Session opened, Topic topic, Provider provider) throws JMSException {
    return opened.createConsumer(topic);
  }

  @Override
  void begin(MessageConsumer opened, Incoming incoming) throws JMSException {
    consumer = opened;
    receiver = new Receiver(incoming);
    listener.onStanding(stoodBefore);
    stoodBefore = true;
    consumer.setMessageListener(receiver);
  }

  @Override
  void retire() {
    if (receiver != null) {
      receiver.retired = true;
    }
    receiver = null;
    consumer = null;
  }

  @Override
  boolean isBroken() {
    return consumer != null && isClosed(consumer);
  }

  @Override
  void refuse(ErrorCode code, String why) {
    listener.onRefused(code, why);
  }

  /** Takes the messages of one consumer, one at a time. */
  private final class Receiver implements MessageListener {
    private final Incoming incoming;
    private volatile boolean retired;

    Receiver(Incoming incoming) {
      this.incoming = incoming;
    }

    @Override
    public void onMessage(jakarta.jms.Message message) {
      if (retired) {
        return;
      }
      try {
        Message read = incoming.read(message);
        if (read != null) {
          listener.onMessage(read);
        }
      } catch (MessageReader.Refused e) {
        listener.onMissed(e.reason());
      } catch (RuntimeException | OutOfMemoryError e) {
        listener.onMissed(incoming.unreadable(e));
      }
    }
  }
}
