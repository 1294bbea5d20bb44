package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.workload.BrokerWorkload;
import io.sluice.loadtest.broker.workload.StampedPrice;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;

/**
 * Producer of replies to the requests of one consumer, with the content of the request. Bound to
 * the thread of its session.
 */
final class Replier {
  private static final long NO_EXPIRY = 0;

  private final Session session;
  private final BrokerWorkload workload;
  private final MessageProducer out;

  Replier(Session session, BrokerWorkload workload) throws JMSException {
    this.session = session;
    this.workload = workload;
    this.out = session.createProducer(null);
  }

  /** Replies to a request, unless it has no destination for replies. */
  void reply(Message request, StampedPrice content) throws JMSException {
    if (request.getJMSReplyTo() == null || content.stamp() == null) {
      return;
    }
    Message reply = workload.type().create(session, content, workload.size());
    reply.setJMSCorrelationID(request.getJMSMessageID());
    out.send(
        request.getJMSReplyTo(),
        reply,
        request.getJMSDeliveryMode(),
        workload.priority(),
        NO_EXPIRY);
  }
}
