package io.sluice.gateway.sim.queue;

import jakarta.jms.JMSException;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.command.ActiveMQTempQueue;
import org.apache.activemq.command.ActiveMQTextMessage;

/** One transfer of a message from the broker to a session. */
final class Dispatch {
  /** Prefix of the names of reply queues. */
  static final String TEMPORARY = "ID:reply-";

  final long number;
  final QueuedMessage message;
  final SimulatedQueueSession session;
  final boolean redelivered;
  final int count;
  final long atMicros;

  /** True if a client has received it. */
  boolean received;

  /** Its JMS message. */
  static final class Jms extends ActiveMQTextMessage {
    final transient Dispatch dispatch;

    Jms(Dispatch dispatch) {
      this.dispatch = dispatch;
    }
  }

  Dispatch(
      long number,
      QueuedMessage message,
      SimulatedQueueSession session,
      boolean redelivered,
      int count,
      long atMicros) {
    this.number = number;
    this.message = message;
    this.session = session;
    this.redelivered = redelivered;
    this.count = count;
    this.atMicros = atMicros;
  }

  /** Creates its JMS message. JMSType is the number of the dispatch. */
  Jms jms() {
    try {
      Jms created = new Jms(this);
      created.setText(message.content.text());
      created.setJMSMessageID("ID:m-" + message.number + ":1:1:1:1");
      created.setJMSType(Long.toString(number));
      created.setJMSCorrelationID(message.content.correlationId());
      String to = message.content.replyTo();
      if (to != null) {
        created.setJMSReplyTo(
            to.startsWith(TEMPORARY) ? new ActiveMQTempQueue(to) : new ActiveMQQueue(to));
      }
      return created;
    } catch (JMSException e) {
      throw new AssertionError(e);
    }
  }
}
